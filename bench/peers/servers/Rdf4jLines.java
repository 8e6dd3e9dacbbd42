import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.eclipse.rdf4j.common.transaction.IsolationLevels;
import org.eclipse.rdf4j.query.BooleanQuery;
import org.eclipse.rdf4j.query.GraphQuery;
import org.eclipse.rdf4j.query.Query;
import org.eclipse.rdf4j.query.TupleQuery;
import org.eclipse.rdf4j.query.resultio.sparqljson.SPARQLBooleanJSONWriter;
import org.eclipse.rdf4j.query.resultio.sparqljson.SPARQLResultsJSONWriter;
import org.eclipse.rdf4j.repository.RepositoryConnection;
import org.eclipse.rdf4j.repository.sail.SailRepository;
import org.eclipse.rdf4j.rio.RDFFormat;
import org.eclipse.rdf4j.rio.ntriples.NTriplesWriter;
import org.eclipse.rdf4j.sail.NotifyingSail;
import org.eclipse.rdf4j.sail.lmdb.LmdbStore;
import org.eclipse.rdf4j.sail.lmdb.config.LmdbStoreConfig;
import org.eclipse.rdf4j.sail.nativerdf.NativeStore;

/** The line protocol over RDF4J: one JSON object a line in; out, a JSON line with the length, then the bytes. */
public class Rdf4jLines {
  private static final String INDEXES = "spoc,posc,ospc,cspo";
  private static final int ERROR_CHARACTERS_MAX = 500;

  public static void main(String[] args) throws Exception {
    SailRepository repository = new SailRepository(open(args[0], new File(args[1])));
    ObjectMapper json = new ObjectMapper();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    try (RepositoryConnection connection = repository.getConnection()) {
      for (String line; (line = in.readLine()) != null; ) {
        JsonNode request = json.readTree(line);
        if (request.get("op").asText().equals("quit")) break;
        long begin = System.nanoTime();
        ByteArrayOutputStream body = new ByteArrayOutputStream(1 << 16);
        ObjectNode head = json.createObjectNode();
        head.set("id", request.get("id"));
        try {
          if (request.get("op").asText().equals("load")) {
            load(connection, new File(request.get("file").asText()));
            head.put("triples", connection.size());
          } else {
            answer(connection, request.get("query").asText(), body);
          }
          head.put("ok", true);
        } catch (Throwable thrown) {
          if (connection.isActive()) connection.rollback();
          body.reset();
          String text = thrown.toString();
          head.put("ok", false).put("error", text.substring(0, Math.min(text.length(), ERROR_CHARACTERS_MAX)));
        }
        head.put("bytes", body.size()).put("ms", (System.nanoTime() - begin) / 1e6);
        out.write((json.writeValueAsString(head) + "\n").getBytes(StandardCharsets.UTF_8));
        body.writeTo(out);
        out.flush();
      }
    }
    repository.shutDown();
    System.exit(0);
  }

  private static NotifyingSail open(String kind, File folder) {
    if (kind.equals("native")) return new NativeStore(folder, INDEXES);
    return new LmdbStore(folder, new LmdbStoreConfig(INDEXES));
  }

  private static void load(RepositoryConnection connection, File file) throws Exception {
    connection.begin(IsolationLevels.NONE);
    connection.add(file, file.getName().endsWith(".nq") ? RDFFormat.NQUADS : RDFFormat.NTRIPLES);
    connection.commit();
  }

  private static void answer(RepositoryConnection connection, String text, OutputStream body) {
    Query query = connection.prepareQuery(text);
    query.setIncludeInferred(false);
    if (query instanceof TupleQuery tuples) tuples.evaluate(new SPARQLResultsJSONWriter(body));
    else if (query instanceof GraphQuery graph) graph.evaluate(new NTriplesWriter(body));
    else new SPARQLBooleanJSONWriter(body).handleBoolean(((BooleanQuery) query).evaluate());
  }
}
