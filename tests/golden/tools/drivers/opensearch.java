// OpenSearch search-relevance Evaluation.calculateNDCGAtK, compiled from its source file alone.
// Run: java -cp FOLDER_WITH_THE_CLASS drivers/opensearch.java qrels.txt run.txt
// One row for each topic of either file; the server leaves a query without results out of the average.
import java.nio.file.*;
import java.util.*;
import org.opensearch.searchrelevance.metrics.calculator.Evaluation;

class OpenSearch {
    public static void main(String[] args) throws Exception {
        Map<String, Map<String, String>> qrels = new TreeMap<>();
        Map<String, List<String>> run = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] part = line.split("\\s+");
            qrels.computeIfAbsent(part[0], topic -> new LinkedHashMap<>()).put(part[2], part[3]);
        }
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            String[] part = line.split("\\s+");
            run.computeIfAbsent(part[0], topic -> new ArrayList<>()).add(part[2]);
        }
        StringJoiner rows = new StringJoiner(", ", "{", "}");
        double sum = 0;
        for (String topic : run.keySet()) {
            double score = Evaluation.calculateNDCGAtK(run.get(topic), qrels.getOrDefault(topic, Map.of()), 10);
            rows.add("\"" + topic + "\": " + score);
            sum += score;
        }
        System.out.println("{\"queries\": " + rows + ", \"mean\": " + sum / run.size() + "}");
    }
}
