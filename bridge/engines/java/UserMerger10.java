package bridge.jvm;

import bridge.jvm.Carriers.Buffered;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.HoodieAvroIndexedRecord;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;

/** CUSTOM of 1.0 where a user's merger decides. It is handed two Avro records; deletes never reach it. */
final class UserMerger10 extends CustomMerger10 {
    /** What `merge` is until 1.0; later releases have another. */
    static final Class[] ARGUMENTS =
        new Class[] {HoodieRecord.class, Schema.class, HoodieRecord.class, Schema.class, TypedProperties.class};

    private final Merge merger;
    private final Properties props;
    private final KeyText keys;

    /** `HoodieRecordMerger.merge` of 1.0, which can't be called by its name where a later Hudi compiles this source. */
    interface Merge {
        Object merge(Object older, Object olderSchema, Object newer, Object newerSchema, Object props) throws Exception;
    }

    UserMerger10(Map described, Properties props, RowContext context) throws Throwable {
        super(null, context);
        this.props = props;
        Class type = UserMerger10.class.getClassLoader().loadClass((String) described.get("name"));
        merger = function((HoodieRecordMerger) type.getConstructor(new Class[0]).newInstance(new Object[0]));
        keys = new KeyText(described, context.records);
    }

    private static Merge function(HoodieRecordMerger target) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle handle = lookup.unreflect(HoodieRecordMerger.class.getMethod("merge", ARGUMENTS));
        MethodType factory = MethodType.methodType(Merge.class, HoodieRecordMerger.class);
        MethodType called = handle.type().dropParameterTypes(0, 1);
        return (Merge) LambdaMetafactory.metafactory(lookup, "merge", factory, called.generic(), handle, called)
            .getTarget().invokeWithArguments(new Object[] {target});
    }

    Buffered merged(Buffered older, Buffered newer) throws Exception {
        GenericRecord current = context.lent(older);
        GenericRecord own = context.lent(newer);
        HoodieKey identity = keys.of(newer.source);
        Option answer = (Option) merger.merge(new HoodieAvroIndexedRecord(identity, current), context.schema,
            new HoodieAvroIndexedRecord(identity, own), context.schema, props);
        if (answer == null) {
            throw new RecordError("merge answered null; it must answer an Option, an empty one for a delete");
        }
        if (!answer.isPresent()) {
            return null;
        }
        HoodieRecord record = (HoodieRecord) ((Pair) answer.get()).getLeft();
        Object data = record.getData();
        if (data == null) {
            return Buffered.delete(orderingOf(record));
        }
        if (!(data instanceof GenericRecord)) {
            throw new RecordError("merge answered a record that holds a " + data.getClass().getName()
                + "; it must answer a HoodieAvroIndexedRecord with a GenericRecord");
        }
        return data == current ? unlessChanged(older, current)
            : data == own ? unlessChanged(newer, own) : context.made((GenericRecord) data);
    }

    /** Returns a version whose record the merger answered: a new one where the merger wrote into it. */
    private Buffered unlessChanged(Buffered version, GenericRecord lent) {
        return lent.equals(context.lent(version)) ? version : context.made(lent);
    }

    /** Returns the ordering value of a delete that the merger made (HoodieEmptyRecord). */
    private Comparable orderingOf(HoodieRecord record) throws Exception {
        return (Comparable) HoodieRecord.class
            .getMethod("getOrderingValue", new Class[] {Schema.class, Properties.class})
            .invoke(record, new Object[] {context.schema, props});
    }
}
