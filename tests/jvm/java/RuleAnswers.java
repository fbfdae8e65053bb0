package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.RowFactory;

/** Merges pairs of versions by rules, all in one call: `MergeRule` as a task has it. */
public final class RuleAnswers {
    private static final ObjectMapper JSON = new ObjectMapper();

    private RuleAnswers() {
    }

    /** Returns for each rule what each of its pairs gives: older, newer, or what is wrong. */
    public static String answers(String asked) throws Exception {
        List<List<String>> answers = new ArrayList<>();
        for (Object one : JSON.readValue(asked, List.class)) {
            Map<?, ?> given = (Map<?, ?>) one;
            MergeRule rule = new MergeRule((Map) given.get("rule"));
            List<Buffered> older = versions((List<?>) given.get("versions"));
            List<Buffered> newer = versions((List<?>) given.get("versions"));
            List<String> found = new ArrayList<>();
            for (Object pair : (List<?>) given.get("pairs")) {
                List<Integer> numbers = (List<Integer>) pair;
                found.add(answer(rule, older.get(numbers.get(0)), newer.get(numbers.get(1))));
            }
            answers.add(found);
        }
        return JSON.writeValueAsString(answers);
    }

    private static List<Buffered> versions(List<?> given) throws Exception {
        List<Buffered> versions = new ArrayList<>();
        for (Object one : given) {
            versions.add(version((Map<?, ?>) one));
        }
        return versions;
    }

    private static Buffered version(Map<?, ?> given) throws Exception {
        Map<?, ?> ordering = (Map<?, ?>) given.get("ordering");
        Comparable value = ordering == null ? null
            : OrderingText.fromText((String) ordering.get("type"), (String) ordering.get("value"));
        boolean hasData = (Boolean) given.get("data");
        return new Buffered(hasData ? RowFactory.create() : null, null, (Boolean) given.get("marked"), value);
    }

    private static String answer(MergeRule rule, Buffered older, Buffered newer) {
        try {
            return rule.merged(older, newer) == older ? "older" : "newer";
        } catch (RecordError error) {
            return "null ordering";
        } catch (ClassCastException error) {
            return "unlike types";
        }
    }
}
