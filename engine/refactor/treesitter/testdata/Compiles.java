import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.tools.*;

/** Compiles each folder named on a line of standard input, and prints its errors behind the folder. */
public class Compiles {
    public static void main(String[] args) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            List<File> files;
            try (Stream<Path> all = Files.walk(Path.of(words[0]))) {
                files = all.map(Path::toFile).filter(f -> f.getName().endsWith(".java")).collect(Collectors.toList());
            }
            List<String> options = new ArrayList<>(List.of("-proc:none", "-implicit:none", "-nowarn", "-d", words[0] + "-out"));
            options.addAll(Arrays.asList(words).subList(1, words.length));
            Files.createDirectories(Path.of(words[0] + "-out"));
            DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
            try (StandardJavaFileManager manager = compiler.getStandardFileManager(found, null, null)) {
                compiler.getTask(null, manager, found, options, null, manager.getJavaFileObjectsFromFiles(files)).call();
            }
            for (Diagnostic<? extends JavaFileObject> d : found.getDiagnostics()) {
                if (d.getKind() == Diagnostic.Kind.ERROR) {
                    System.out.println(words[0] + " " + d.toString().replace('\n', ' '));
                }
            }
            System.out.println(words[0] + " done");
            System.out.flush();
        }
    }
}
