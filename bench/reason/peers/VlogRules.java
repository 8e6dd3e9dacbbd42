import com.sun.management.OperatingSystemMXBean;
import java.io.FileInputStream;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import org.semanticweb.rulewerk.core.model.api.PositiveLiteral;
import org.semanticweb.rulewerk.core.reasoner.KnowledgeBase;
import org.semanticweb.rulewerk.core.reasoner.Reasoner;
import org.semanticweb.rulewerk.parser.RuleParser;
import org.semanticweb.rulewerk.reasoner.vlog.VLogReasoner;

/**
 * Rules in VLog: {@code VlogRules <rules.rls> <rounds> <query> ...}. Prints the least CPU milliseconds of the rounds, the loading of the
 * sources included, and how many answers the queries have together, as JSON.
 */
public final class VlogRules {
    public static void main(String[] args) throws Exception {
        double least = Double.POSITIVE_INFINITY;
        long found = 0;
        for (int round = 0; round < Integer.parseInt(args[1]); round++) {
            KnowledgeBase base = RuleParser.parse(new FileInputStream(args[0]));
            try (Reasoner reasoner = new VLogReasoner(base)) {
                double begin = cpuMs();
                reasoner.reason();
                least = Math.min(least, cpuMs() - begin);
                found = 0;
                for (int at = 2; at < args.length; at++) {
                    PositiveLiteral query = RuleParser.parsePositiveLiteral(args[at]);
                    found += reasoner.countQueryAnswers(query).getCount();
                }
            }
        }
        System.out.printf(Locale.ROOT, "{\"cpuMs\": %.3f, \"found\": %d}%n", least, found);
    }

    private static double cpuMs() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime() / 1e6;
    }
}
