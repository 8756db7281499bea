// Secrets in the text of sg_ses, as it prints the pages of a shelf.
#include "ui/cli/ses_text.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "ui/cli/mask.h"

namespace fmd::cli {
namespace {

nlohmann::json pages() {
  return nlohmann::json::array(
      {{{"ed",
         {"  NETAPP    DS424IOM12A       0281",
          "  Primary enclosure logical identifier (hex): 500a0980085b1d10",
          "      Element 0 descriptor: SLOT 000,3FHY4B1T",
          "      Element 1 descriptor: ArrayDevice01",
          "    enclosure vendor: NETAPP  product: DS424IOM12A  rev: 0281"}},
        {"aes",
         {"  NETAPP    DS424IOM12A       0281", "        SAS address: 0x5000cca05c1a2b3d",
          " 00     53 4e 30 30 31 32 33 34  41 42 43 44    SN001234ABCD"}}}});
}

TEST(SesText, SerialsAndAddressesAreSecretAndNamesAreNot) {
  EXPECT_EQ(secrets_in(pages()), (std::set<std::string>{"3FHY4B1T", "5000cca05c1a2b3d",
                                                        "500a0980085b1d10", "SN001234ABCD"}));
}

TEST(SesText, NothingOfThemIsLeftInTheMaskedPages) {
  Mask mask;
  for (const std::string& secret : secrets_in(pages())) mask.learn_serial(secret);
  mask.settle();
  const std::string shown = mask.hide(without_bytes(pages())).dump();
  for (const char* secret :
       {"3FHY4B1T", "5000cca05c1a2b3d", "500a0980085b1d10", "SN001234", "53 4e"})
    EXPECT_EQ(shown.find(secret), shown.npos) << secret << " in " << shown;
  for (const char* kept : {"DS424IOM12A", "SLOT 000", "ArrayDevice01", "(bytes left out)"})
    EXPECT_NE(shown.find(kept), shown.npos) << kept << " not in " << shown;
}

}  // namespace
}  // namespace fmd::cli
