"""fmadm rules test --drive-stats: which disks of a small fleet would have been reported. The tests write the disks' data."""
import bz2
import gzip
import json
import lzma
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

import stage

import shipped

HEADER = ("date,serial_number,model,capacity_bytes,failure,smart_1_normalized,smart_5_raw,smart_22_raw,smart_184_raw,smart_187_raw,"
          "smart_188_raw,smart_197_raw,smart_198_raw,smart_199_raw")
COLUMNS = (5, 22, 184, 187, 188, 197, 198, 199)
LARGE, SMALL = 8001563222016, 1000204886016


def day(number, serial, model="ST8000NM0055", capacity=LARGE, failure=0, **raw):
    values = {attribute: raw.get(f"a{attribute}", "" if attribute == 22 else 0) for attribute in COLUMNS}
    return (f"2019-{1 + number // 28:02}-{1 + number % 28:02},{serial},{model},{capacity},{failure},100,"
            + ",".join(str(values[attribute]) for attribute in COLUMNS))


class DriveStats(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "fleet.csv"

    def run_on(self, rows, *options):
        self.file.write_text("\n".join([HEADER, *rows]) + "\n")
        return stage.run("fmadm", "rules", "test", "--drive-stats", str(self.file), *shipped.event_options(),
                         str(stage.ROOT / "plugins/smart/rules"), *options, FMD_BUS_ADDRESS="unix:path=/nonexistent")

    def score(self, rows):
        done = self.run_on(rows, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads(done.stdout)
        return document, {row["who"]: (row["failed"], row["others"]) for row in document["reports"]}

    def test_who_reports_what(self):
        rows = []
        for number in range(40):
            failing = int(number == 39)
            rows += [day(number, "WELL"), day(number, "HELIUM", a22=100 if number < 20 else 90),
                     day(number, "OLD", a5=104), day(number, "FEW", a5=96),
                     day(number, "ONE", a197=8 * (number > 9), a198=8 * (number > 9)),
                     day(number, "BAD", failure=failing, a187=number // 10, a188=number),
                     day(number, "CRC", failure=failing, a199=2 * number), day(number, "IOEDC", failure=failing, a184=int(number > 30))]
        document, found = self.score(rows)
        self.assertEqual((document["failed"], document["others"], document["rows"]), (3, 5, 320))
        self.assertEqual(found["smartd's defaults, last day"], (0, 1))
        self.assertEqual(found["Backblaze's five above 0, last day"], (1, 3))
        self.assertEqual(found["fmd, installed on the last day"], (2, 3), "BAD, IOEDC; HELIUM, OLD, ONE")
        self.assertEqual(found["fmd, watching from the first day"], (3, 3))
        self.assertEqual(found["fmd, watching, Major or Critical"], (1, 0))
        rules = {who[5:]: counts for who, counts in found.items() if who.startswith("rule ")}
        self.assertEqual(rules, {"smart-end-to-end": (1, 0), "smart-helium": (0, 1), "smart-reallocated-before": (0, 1),
                                 "smart-pending-slow": (0, 1), "smart-uncorrectable-slow": (0, 1), "smart-pending-before": (0, 1),
                                 "smart-uncorrectable-before": (0, 1), "smart-reported-slow": (1, 0), "smart-reported-before": (1, 0),
                                 "smart-crc": (1, 0)})

    def test_units_and_times(self):
        grows = [day(number, "ST", a197=16 * (number > 2)) for number in range(9)]
        self.assertEqual(self.score(grows)[1]["rule smart-pending"], (0, 1), "two places of 4096 bytes")
        slowly = [day(number, "WD", "WDC WUH721414ALE6L4", a197=number // 10) for number in range(40)]
        found = self.score(slowly)[1]
        self.assertEqual(found["rule smart-pending-slow"], (0, 1))
        self.assertNotIn("rule smart-pending", found, "one each ten days")
        small = [day(number, "OLD", capacity=SMALL, a197=8 * (number > 2)) for number in range(9)]
        self.assertIn("rule smart-pending", self.score(small)[1], "eight of 512 bytes")

    def test_an_ssd_and_a_value_that_none_can_have(self):
        rows = [day(number, "SSD", "Seagate BarraCuda SSD ZA250CM10002", SMALL, a187=9) for number in range(3)]
        rows += [day(number, "NONE", a197=4294967295) for number in range(3)]
        self.assertEqual(self.score(rows)[1]["fmd, watching from the first day"], (0, 0))

    def test_ssds_by_their_models(self):
        for model in ("WDC WDS250G2B0A", "Micron 5300 MTFDDAK480TDS", "MTFDDAV240TCB", "KINGSTON SA400S37240G", "SAMSUNG MZ7LH480HAHQ",
                      "CT250MX500SSD1", "INTEL SSDSCKKB240GZR", "ZA250CM10003", "DELLBOSS VD", "HFS480G3H2X069N"):
            for count, others in ((9, 0), (10, 1)):
                found = self.score([day(0, "SSD", model, SMALL, a187=count)])[1]
                self.assertEqual(found["fmd, installed on the last day"], (0, others), f"{model}: {count}")
        for model in ("WDC WD60EFRX", "WUH721816ALE6L4", "ST8000NM0055", "TOSHIBA MG07ACA14TA", "HGST HMS5C4040BLE640", "Hitachi HDS5C3030ALA630"):
            self.assertEqual(self.score([day(0, "HDD", model, a187=1)])[1]["fmd, installed on the last day"], (0, 1), model)

    def test_files_one_after_the_other_with_other_columns(self):
        other = ["", "serial_number,failure,date,model,smart_187_raw", "A,1,2020-01-02,ST8000NM0055,3"]
        document, found = self.score([day(0, "A"), *other, "A,0,yesterday,ST8000NM0055,3", "A,0,2018-01-01,ST8000NM0055,9"])
        self.assertEqual((document["rows"], document["unreadable"], document["out_of_order"]), (3, 1, 1))
        self.assertEqual(found["rule smart-reported"], (1, 0))

    def test_a_failure_counts_in_whatever_order_the_days_come(self):
        document, found = self.score([day(9, "A", a187=3), day(4, "A", failure=1), day(9, "B")])
        self.assertEqual((document["failed"], document["others"], document["out_of_order"]), (1, 1, 1))
        self.assertEqual(found["fmd, installed on the last day"], (1, 0))

    def test_a_capacity_that_the_first_row_does_not_have(self):
        for missing in (-1, 0, ""):
            rows = [day(0, "ST", capacity=missing)] + [day(number, "ST", a197=8) for number in range(1, 9)]
            found = self.score(rows)[1]
            self.assertIn("rule smart-pending-slow", found, f"one place of 4096 bytes, not eight: {missing}")
            self.assertNotIn("rule smart-pending", found, missing)

    def test_cells_as_other_programs_write_them(self):
        quoted = [",".join(f'"{cell}"' for cell in row.split(",")) for row in (day(0, "A"), day(1, "A", a187=4))]
        self.assertEqual(self.score(quoted)[1]["rule smart-reported"], (0, 1))
        comma = [day(number, "A", '"SEAGATE ST8000NM0055, rev 2"', a187=4 * number) for number in range(2)]
        self.assertEqual(self.score(comma)[1]["rule smart-reported"], (0, 1))
        floats = [day(number, "A", failure=f"{number}.0", a187=f"{4 * number}.0") for number in range(2)]
        document, found = self.score(floats)
        self.assertEqual((document["failed"], document["unreadable"]), (1, 0))
        self.assertEqual(found["rule smart-reported"], (1, 0))
        for strange in ("nan", "inf", "-1", "NULL", "0x7", "1e300"):
            document, found = self.score([day(0, "A"), day(1, "A", a187=strange, a5=strange)])
            self.assertEqual((document["rows"], found["fmd, watching from the first day"]), (2, (0, 0)), strange)

    def test_what_editors_add(self):
        self.file.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([HEADER, day(0, "A"), "", day(1, "A", failure=1)]).encode() + b"\r\n")
        done = stage.run("fmadm", "rules", "test", "--drive-stats", str(self.file), *shipped.event_options(),
                         str(stage.ROOT / "plugins/smart/rules"), FMD_BUS_ADDRESS="unix:path=/nonexistent")
        self.assertEqual((done.returncode, done.stdout.splitlines()[:1]), (0, ["1 disk in 2 rows, 1 failed"]), done.stderr)

    def test_a_file_that_is_compressed_or_lacks_a_column(self):
        plain = "\n".join([HEADER, day(0, "A")]) + "\n"
        with zipfile.ZipFile(self.file, "w") as archive:
            archive.writestr("a.csv", plain)
        packed = [self.file.read_bytes(), gzip.compress(plain.encode()), lzma.compress(plain.encode()), bz2.compress(plain.encode())]
        cases = [(text, "is compressed: unpack it") for text in packed]
        for column in ("date", "serial_number", "model", "failure"):
            cases.append((plain.replace(column, "other", 1).encode(), "is no header of drive stats"))
        for text, reason in cases:
            self.file.write_bytes(text)
            done = stage.run("fmadm", "rules", "test", "--drive-stats", str(self.file), *shipped.event_options(),
                             str(stage.ROOT / "plugins/smart/rules"), FMD_BUS_ADDRESS="unix:path=/nonexistent")
            self.assertEqual(done.returncode, 1)
            self.assertIn(reason, done.stderr)

    def test_the_table(self):
        done = self.run_on([day(0, "A", failure=1, a197=8), day(0, "B"), day(0, "C", a187=1), day(0, "D"), "nonsense"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:2], ["4 disks in 4 rows, 1 failed", "1 unreadable row left out"])
        self.assertRegex(done.stdout, r"WHO REPORTS +FAILED +OTHERS +PRECISION")
        self.assertRegex(done.stdout, r"fmd, installed on the last day +100\.0 % +33\.33 % +50 %")

    def test_standard_input_and_errors(self):
        done = self.run_on([])
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no row of drive stats", done.stderr)
        self.file.write_text("a,b,c\n1,2,3\n")
        for file, reason in ((str(self.file), "is no header of drive stats"), ("/nonexistent", "cannot be opened")):
            done = stage.run("fmadm", "rules", "test", "--drive-stats", file, *shipped.event_options(),
                             str(stage.ROOT / "plugins/smart/rules"), FMD_BUS_ADDRESS="unix:path=/nonexistent")
            self.assertEqual(done.returncode, 1)
            self.assertIn(reason, done.stderr)
        done = subprocess.run([stage.program("fmadm"), "rules", "test", "--drive-stats", "-", *shipped.event_options(),
                               str(stage.ROOT / "plugins/smart/rules")], input=HEADER + "\n" + day(0, "A") + "\n", capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout.splitlines()[0]), (0, "1 disk in 1 row, 0 failed"))


if __name__ == "__main__":
    unittest.main()
