#include "ereports.h"

#include <fmt/format.h>

#include <iterator>
#include <random>

namespace fmd::bench {
namespace {

void add_histogram(std::string& out, const char* name, uint32_t about, std::minstd_rand& random) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":[", name);
  for (int bit = 0; bit < 64; ++bit)
    fmt::format_to(std::back_inserter(out), "{}{}", bit == 0 ? "" : ",", about + random() % 64);
  out += ']';
}

std::string payload(uint64_t seq, uint64_t vdev, Shape shape, std::minstd_rand& random) {
  std::string out = fmt::format(
      "{{\"detector\":{{\"version\":0,\"scheme\":\"zfs\",\"pool\":{0},\"vdev\":{1}}},\"pool\":"
      "\"tank\","
      "\"pool_guid\":{0},\"pool_state\":0,\"pool_context\":0,\"pool_failmode\":\"wait\",\"vdev_"
      "guid\":{1},"
      "\"vdev_type\":\"disk\",\"vdev_path\":\"/dev/disk/by-id/wwn-0x5000c500a{2:07}-part1\","
      "\"vdev_devid\":\"scsi-35000c500a{2:07}-part1\","
      "\"vdev_enc_sysfs_path\":\"/sys/class/enclosure/0:0:{3}:0/SLOT {4:02}\",\"vdev_ashift\":12,"
      "\"vdev_complete_ts\":{5},\"vdev_delta_ts\":{6},\"vdev_read_errors\":0,\"vdev_write_errors\":"
      "0,"
      "\"vdev_cksum_errors\":{7},\"vdev_delays\":0,\"parent_guid\":{8},\"parent_type\":\"raidz\","
      "\"zio_err\":0,\"zio_flags\":1048736,\"zio_stage\":2097152,\"zio_pipeline\":32505856,\"zio_"
      "delay\":0,"
      "\"zio_timestamp\":0,\"zio_delta\":0,\"zio_priority\":4,\"zio_offset\":{9},\"zio_size\":{10},"
      "\"zio_objset\":54,\"zio_object\":{11},\"zio_level\":0,\"zio_blkid\":{12}",
      kPool, 4242000000000000000U + vdev, vdev, vdev / 24, vdev % 24,
      seq * 731921 + random() % 65536, 300000 + random() % 500000, seq / kVdevs,
      4071313232323232000U + vdev / 8, (random() % (1U << 30)) * 4096ULL,
      4096 * (1 + random() % 32), 2 + random() % 5000, random() % 100000);
  if (shape == Shape::whole) {
    out +=
        ",\"bad_ranges\":[0,12288],\"bad_ranges_min_gap\":8,\"bad_range_sets\":28350,\"bad_range_"
        "clears\":20772";
    add_histogram(out, "bad_set_histogram", 410, random);
    add_histogram(out, "bad_cleared_histogram", 290, random);
  }
  return out + fmt::format(",\"eid\":{},\"context\":\"none\",\"scan\":\"scrub\"}}", seq);
}

}  // namespace

std::string vdev_fmri(uint64_t vdev) {
  return fmt::format("zfs://pool={}/vdev={}", kPool, 4242000000000000000U + vdev);
}

std::vector<Event> make_ereports(uint64_t first_seq, uint64_t count, Shape shape) {
  std::minstd_rand random(static_cast<uint32_t>(first_seq) * 2654435761U + 1);
  std::vector<Event> events(count);
  for (uint64_t i = 0; i < count; ++i) {
    Event& event = events[i];
    const uint64_t vdev = random() % kVdevs;
    event.seq = first_seq + i;
    event.event_class = "ereport.fs.zfs.checksum";
    event.resource = vdev_fmri(vdev);
    event.time_ns = kBegin + static_cast<int64_t>(event.seq) * 100'000;
    event.received_ns = event.time_ns + 1'000'000 + random() % 1'000'000;
    event.ena = 0x725c738c4a00401 + event.seq * 0x100000000;
    event.source = "zfs";
    event.payload_json = payload(event.seq, vdev, shape, random);
  }
  return events;
}

std::string as_message(const std::vector<Event>& events) {
  std::string out = "{\"events\":[";
  for (const Event& event : events)
    fmt::format_to(
        std::back_inserter(out),
        "{}{{\"class\":\"{}\",\"resource\":\"{}\",\"time\":{},\"ena\":{},\"payload\":{}}}",
        &event == events.data() ? "" : ",", event.event_class, event.resource, event.time_ns,
        event.ena, event.payload_json);
  return out + fmt::format("],\"cursor\":\"{}\"}}", events.back().seq);
}

}  // namespace fmd::bench
