// Parses SQL texts with Trino's own parser. Standard input: texts in UTF-8, each behind its length in four bytes.
import io.trino.sql.parser.ParsingException;
import io.trino.sql.parser.SqlParser;
import java.io.DataInputStream;
import java.io.EOFException;
import java.nio.charset.StandardCharsets;

public class ParseTrino {
  public static void main(String[] args) throws Exception {
    SqlParser parser = new SqlParser();
    DataInputStream in = new DataInputStream(System.in);
    for (int number = 0; ; number++) {
      int length;
      try {
        length = in.readInt();
      } catch (EOFException end) {
        return;
      }
      byte[] bytes = in.readNBytes(length);
      try {
        parser.createStatement(new String(bytes, StandardCharsets.UTF_8));
        System.out.println(number + " ok");
      } catch (ParsingException error) {
        System.out.println(number + " " + error.getMessage().replace('\n', ' '));
      }
    }
  }
}
