package bridge.jvm;

import bridge.jvm.Constants.Action;
import bridge.jvm.Constants.Origin;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.api.java.UDF2;

/** The copy-on-write merge of two versions as a function of two structs; null where no row is left. */
public final class MergePair implements UDF2 {
    private final ArrayList jars;
    private final String job;
    private final int width;
    private transient MapPartitionsFunction merge;

    public MergePair(List jars, String job, int width) {
        this.jars = new ArrayList(jars);
        this.job = job;
        this.width = width;
    }

    public Object call(Object older, Object newer) throws Exception {
        if (newer == null) {
            return older;
        }
        if (merge == null) {
            merge = MergeTask.merge(jars, job);
        }
        List versions = new ArrayList();
        if (older != null) {
            versions.add(arrival((Row) older, Origin.STORED));
        }
        versions.add(arrival((Row) newer, Origin.INCOMING));
        Iterator outcomes = merge.call(versions.iterator());
        Row outcome = (Row) outcomes.next();
        if (outcomes.hasNext()) {
            throw new IllegalStateException("two outcomes of one key");
        }
        int action = outcome.getByte(width);
        return action == Action.DELETE || action == Action.SKIP ? null : RowFactory.create(values(outcome, width));
    }

    private Row arrival(Row row, int origin) {
        Object[] values = values(row, width + 1);
        values[width] = Byte.valueOf((byte) origin);
        return RowFactory.create(values);
    }

    private Object[] values(Row row, int length) {
        Object[] values = new Object[length];
        for (int i = 0; i < width; i++) {
            values[i] = row.get(i);
        }
        return values;
    }
}
