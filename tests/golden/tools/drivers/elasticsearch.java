// Elasticsearch rank_eval, metric dcg with normalize, k 10, unrated documents ignored; no server.
// Run: java -cp FOLDER_WITH_THE_CLASSES drivers/elasticsearch.java qrels.txt run.txt
// One request for each judged topic; a topic with no hits is an empty result list.
import java.nio.file.*;
import java.util.*;
import org.elasticsearch.index.rankeval.*;
import org.elasticsearch.search.SearchHit;

class ElasticsearchRankEval {
    public static void main(String[] args) throws Exception {
        Map<String, List<RatedDocument>> qrels = new TreeMap<>();
        Map<String, List<SearchHit>> run = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] part = line.split("\\s+");
            qrels.computeIfAbsent(part[0], topic -> new ArrayList<>()).add(new RatedDocument(part[2], Integer.parseInt(part[3])));
        }
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            String[] part = line.split("\\s+");
            run.computeIfAbsent(part[0], topic -> new ArrayList<>()).add(new SearchHit("index", part[2]));
        }
        EvaluationMetric metric = new DiscountedCumulativeGain(true, null, 10);
        List<EvalQueryQuality> results = new ArrayList<>();
        StringJoiner rows = new StringJoiner(", ", "{", "}");
        for (String topic : qrels.keySet()) {
            List<SearchHit> hits = run.getOrDefault(topic, List.of());
            SearchHit[] window = hits.subList(0, Math.min(10, hits.size())).toArray(new SearchHit[0]);
            EvalQueryQuality result = metric.evaluate(topic, window, qrels.get(topic));
            results.add(result);
            rows.add("\"" + topic + "\": " + result.metricScore());
        }
        System.out.println("{\"queries\": " + rows + ", \"mean\": " + metric.combine(results) + "}");
    }
}
