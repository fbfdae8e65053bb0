package com.acme;

import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.RecordContext;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.table.read.BufferedRecord;

/** A merger of Hudi 1.1 and 1.2. */
public class NewMerger implements HoodieRecordMerger {
    @Override
    public <T> BufferedRecord<T> merge(
        BufferedRecord<T> older, BufferedRecord<T> newer, RecordContext<T> context, TypedProperties props) {
        return newer;
    }

    @Override
    public HoodieRecordType getRecordType() {
        return HoodieRecordType.AVRO;
    }

    @Override
    public String getMergingStrategy() {
        return "5d1a2f6e-6f0b-4f0e-9d57-0a8f6b7c1e21";
    }
}
