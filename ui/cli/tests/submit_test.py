"""fmadm chassis submit, and how fmadm chassis says that a description is from a drawing."""
import json
import unittest

import chassis_test


class Submit(chassis_test.WithDaemon):
    @staticmethod
    def inventory():
        doc = chassis_test.inventory()
        shelf = doc["resources"][0]["properties"]
        shelf.update({"description": "mine", "description_file": f"{chassis_test.SHIPPED}/dell-md1220.toml", "verified": "drawing only"})
        doc["resources"][1]["properties"]["serial"] = "Z1Y0SECRET"
        return doc

    def test_the_file_has_the_description_and_no_secrets(self):
        path = self.folder / "shelf.json"
        said = self.ok("fmadm", "chassis", "submit", "-o", str(path))
        self.assertIn("Written to", said)
        self.assertIn("It has no SES pages", said)
        text = path.read_text()
        for secret in ("5000c500fa0e5e50", "Z1Y0SECRET"):
            self.assertNotIn(secret, text)
        doc = json.loads(text)
        self.assertIn('ses_product = "MD1220"', doc["files"][0]["lines"])
        self.assertEqual([p["type"] for p in doc["parts"]].count("enclosure"), 1)
        self.assertIn("SLOT 02", [p["properties"].get("label") for p in doc["parts"]])

    def test_show_says_that_nobody_has_looked(self):
        self.assertIn("Verified    : drawing only: check with a blink before you pull", self.ok("fmadm", "chassis", "show"))


if __name__ == "__main__":
    unittest.main()
