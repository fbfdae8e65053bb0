package com.acme;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.common.model.OverwriteWithLatestAvroPayload;
import org.apache.hudi.common.util.Option;

/** A JSON column: both texts are parsed, the members of the newer object replace those of the older one. */
public class MergesJson extends OverwriteWithLatestAvroPayload {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  public MergesJson(GenericRecord record, Comparable orderingVal) {
    super(record, orderingVal);
  }

  public MergesJson(Option<GenericRecord> record) {
    super(record);
  }

  @Override
  public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord stored, Schema schema) throws IOException {
    Option<IndexedRecord> insert = getInsertValue(schema);
    if (!insert.isPresent()) {
      return Option.empty();
    }
    GenericRecord made = GenericData.get().deepCopy(insert.get().getSchema(), (GenericRecord) insert.get());
    JsonNode before = parsed(((GenericRecord) stored).get("attributes"));
    JsonNode after = parsed(made.get("attributes"));
    if (before.isObject() && after.isObject()) {
      made.put("attributes", MAPPER.writeValueAsString(((ObjectNode) before).setAll((ObjectNode) after)));
    } else if (before.isObject()) {
      made.put("attributes", MAPPER.writeValueAsString(before));
    }
    return Option.of(made);
  }

  private static JsonNode parsed(Object text) throws IOException {
    return text == null ? MAPPER.nullNode() : MAPPER.readTree(text.toString());
  }
}
