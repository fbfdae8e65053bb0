package com.acme;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import scala.collection.JavaConverters;
import scala.collection.Seq;

/** Runs jobs of the jvm engine over sorted rows without Spark's tasks, and says what became of each key. */
public final class EachKey {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern FAILED = Pattern.compile("failed(?: at \\S+)? \\(key .*?id=(-?\\d+)\\)");

    private EachKey() {
    }

    /**
     * Returns the answers to several jobs as JSON.
     *
     * The key is the first column, an integer. An answer has `outcomes` by key, each a list of rows, and `failed`: the
     * keys of the failures, with their messages. After a failure the job goes on with the next key, or ends where it
     * sees `all_keys` together.
     *
     * @param task the class that Spark sends to its tasks
     * @param jars the names of the jars that it loads
     * @param jobs JSON: for each job its `description`, the `origins` of the rows that it takes, and `all_keys`
     */
    public static String answers(Class<?> task, List<String> jars, List<Row> rows, String jobs) throws Exception {
        List<Object> answers = new ArrayList<>();
        for (Object job : JSON.readValue(jobs, List.class)) {
            Map<?, ?> asked = (Map<?, ?>) job;
            List<?> origins = (List<?>) asked.get("origins");
            List<Row> taken = new ArrayList<>();
            for (Row row : rows) {
                if (origins.contains((int) row.<Byte>getAs("_pb_origin"))) {
                    taken.add(row);
                }
            }
            answers.add(answer(task, jars, taken, (String) asked.get("description"), (Boolean) asked.get("all_keys")));
        }
        return JSON.writeValueAsString(answers);
    }

    private static Map<String, Object> answer(
        Class<?> task, List<String> jars, List<Row> rows, String job, boolean allKeys) throws Exception {
        Map<String, List<Object>> outcomes = new LinkedHashMap<>();
        Map<String, String> failed = new LinkedHashMap<>();
        int next = 0;
        int end = rows.size();
        while (next < rows.size()) {
            Map<String, List<Object>> found = new LinkedHashMap<>();
            try {
                Iterator<Row> merged = function(task, jars, job).call(rows.subList(next, end).iterator());
                while (merged.hasNext()) {
                    Row row = merged.next();
                    found.computeIfAbsent(String.valueOf(row.get(0)), key -> new ArrayList<>()).add(plain(row));
                }
                outcomes.putAll(found);
                next = end;
                while (next < rows.size() && failed.containsKey(String.valueOf(rows.get(next).getInt(0)))) {
                    next++;
                }
                end = rows.size();
            } catch (Exception error) {
                Matcher named = FAILED.matcher(String.valueOf(error.getMessage()));
                if (!named.find()) {
                    throw error;
                }
                failed.put(named.group(1), error.getMessage());
                int key = Integer.parseInt(named.group(1));
                if (allKeys) {
                    break;
                }
                if (rows.get(next).getInt(0) > key) {
                    throw new IllegalStateException("a key that is done with is named", error);
                }
                // The failure takes the last rows of the keys before it along, so these are merged once more.
                end = next;
                while (rows.get(end).getInt(0) < key) {
                    end++;
                }
                if (end == next) {
                    while (next < rows.size() && rows.get(next).getInt(0) == key) {
                        next++;
                    }
                    end = rows.size();
                }
            }
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("outcomes", allKeys && !failed.isEmpty() ? new LinkedHashMap<>() : outcomes);
        answer.put("failed", failed);
        return answer;
    }

    @SuppressWarnings("unchecked")
    private static MapPartitionsFunction<Row, Row> function(Class<?> task, List<String> jars, String job)
        throws Exception {
        return (MapPartitionsFunction<Row, Row>) task.getConstructors()[0].newInstance(jars, job);
    }

    private static Object plain(Object value) {
        if (value instanceof byte[]) {
            return new String((byte[]) value, StandardCharsets.UTF_8);
        }
        if (value instanceof Seq) {
            return JavaConverters.seqAsJavaListConverter((Seq<?>) value).asJava();
        }
        if (value instanceof Row) {
            List<Object> values = new ArrayList<>();
            for (int i = 0; i < ((Row) value).size(); i++) {
                values.add(plain(((Row) value).get(i)));
            }
            return values;
        }
        return value;
    }
}
