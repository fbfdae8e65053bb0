package bridge.jvm;

import bridge.jvm.Constants.Partition;
import java.util.List;
import java.util.Map;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.spark.sql.Row;

/** Record key and partition path of a row as Hudi writes them: a key column alone, several as name:value. */
final class KeyText {
    private final Records records;
    private final int[] key;
    private final int[] partition;
    private final List keyNames;

    KeyText(Map described, Records records) {
        this.records = records;
        keyNames = (List) described.get("key");
        key = columns(keyNames);
        partition = columns((List) described.get("partition"));
    }

    private int[] columns(List names) {
        int[] found = new int[names.size()];
        for (int i = 0; i < found.length; i++) {
            found[i] = records.column((String) names.get(i));
        }
        return found;
    }

    HoodieKey of(Row row) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < key.length; i++) {
            text.append(i == 0 ? "" : ",").append(key.length == 1 ? "" : keyNames.get(i) + ":");
            text.append(records.value(row, key[i]));
        }
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < partition.length; i++) {
            Object value = records.value(row, partition[i]);
            String folder = value == null ? "" : value.toString();
            path.append(i == 0 ? "" : "/").append(folder.length() == 0 ? Partition.NONE : folder);
        }
        return new HoodieKey(text.toString(), path.toString());
    }
}
