package bridge.jvm;

import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/**
 * The schemas that PayloadCalls and its caller speak of by number, so that a text travels once.
 *
 * The caller gives numbers from 0 on; a schema that only an answer has gets one below 0.
 */
final class NumberedSchemas {
    private final Map schemas = new HashMap();
    private final Map numbersBySchema = new IdentityHashMap();
    private final Map numbersByText = new HashMap();
    private Map untold = new LinkedHashMap();

    /** Learns texts by number. */
    void learn(Map texts) {
        for (Iterator i = texts.entrySet().iterator(); i.hasNext();) {
            Map.Entry told = (Map.Entry) i.next();
            Integer number = Integer.valueOf((String) told.getKey());
            Schema schema = new Schema.Parser().setValidateDefaults(false).parse((String) told.getValue());
            schemas.put(number, schema);
            numbersBySchema.put(schema, number);
        }
    }

    /** Returns the texts by number that the caller does not know yet; from now on it does. */
    Map taken() {
        Map texts = untold;
        untold = new LinkedHashMap();
        return texts;
    }

    Schema of(Object number) {
        return (Schema) schemas.get(number);
    }

    Object numberOf(Schema schema) {
        Object number = numbersBySchema.get(schema);
        if (number == null) {
            String text = schema.toString();
            number = numbersByText.get(text);
            if (number == null) {
                number = Integer.valueOf(-1 - numbersByText.size());
                numbersByText.put(text, number);
                untold.put(number, text);
            }
        }
        return number;
    }

    GenericRecord decoded(Object number, String bytes) throws Exception {
        return bytes == null ? null : (GenericRecord) new GenericDatumReader(of(number))
            .read(null, DecoderFactory.get().binaryDecoder(Base64.getDecoder().decode(bytes), null));
    }

    /** Puts a record into a result: its bytes and the number of its schema, or why it does not fit that. */
    void put(Map result, IndexedRecord record) throws Exception {
        if (record == null) {
            result.put("record", null);
            return;
        }
        try {
            result.put("record", encoded(record));
        } catch (Exception misfit) {
            result.put("misfit", misfit.toString());
            return;
        }
        result.put("schema", numberOf(record.getSchema()));
    }

    static String encoded(IndexedRecord record) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter(record.getSchema(), GenericData.get()).write(record, encoder);
        encoder.flush();
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }
}
