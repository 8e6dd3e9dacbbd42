import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.jena.atlas.json.JSON;
import org.apache.jena.atlas.json.JsonObject;
import org.apache.jena.query.Dataset;
import org.apache.jena.query.Query;
import org.apache.jena.query.QueryExecution;
import org.apache.jena.query.QueryFactory;
import org.apache.jena.query.ResultSetFormatter;
import org.apache.jena.rdf.model.Model;
import org.apache.jena.riot.Lang;
import org.apache.jena.riot.RDFDataMgr;
import org.apache.jena.system.Txn;
import org.apache.jena.tdb2.TDB2Factory;

/** The line protocol over Jena TDB2: one JSON object a line in; out, a JSON line with the length, then the bytes. */
public class JenaLines {
  public static void main(String[] args) throws Exception {
    Dataset dataset = TDB2Factory.connectDataset(args[0]);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    for (String line; (line = in.readLine()) != null; ) {
      JsonObject request = JSON.parse(line);
      if (request.get("op").getAsString().value().equals("quit")) break;
      long begin = System.nanoTime();
      ByteArrayOutputStream body = new ByteArrayOutputStream(1 << 16);
      String error = null;
      try {
        answer(dataset, request.get("query").getAsString().value(), body);
      } catch (Throwable thrown) {
        error = thrown.toString();
        body.reset();
      }
      double ms = (System.nanoTime() - begin) / 1e6;
      String id = request.get("id").toString().trim();
      String about = error == null ? "\"ok\":true" : "\"ok\":false,\"error\":" + quote(error);
      String head = "{\"id\":" + id + "," + about + ",\"bytes\":" + body.size() + ",\"ms\":" + ms + "}\n";
      out.write(head.getBytes(StandardCharsets.UTF_8));
      body.writeTo(out);
      out.flush();
    }
    dataset.close();
    System.exit(0);
  }

  private static void answer(Dataset dataset, String text, OutputStream body) {
    Query query = QueryFactory.create(text);
    Txn.executeRead(dataset, () -> {
      try (QueryExecution execution = QueryExecution.create(query, dataset)) {
        if (query.isAskType()) ResultSetFormatter.outputAsJSON(body, execution.execAsk());
        else if (query.isSelectType()) ResultSetFormatter.outputAsJSON(body, execution.execSelect());
        else {
          Model graph = query.isDescribeType() ? execution.execDescribe() : execution.execConstruct();
          RDFDataMgr.write(body, graph, Lang.NTRIPLES);
        }
      }
    });
  }

  private static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.substring(0, Math.min(text.length(), 500)).toCharArray()) {
      if (c == '"' || c == '\\') quoted.append('\\').append(c);
      else quoted.append(c < ' ' ? ' ' : c);
    }
    return quoted.append('"').toString();
  }
}
