// Browser: opens a page in the browser of the person who started the server.
//
// A server that has given up the rest of the machine cannot start a browser that may use it, so a
// process is kept aside for that, from before: it waits for the address and becomes the browser.
#pragma once

#include <string>

namespace notesdb::http {

class Browser {
 public:
  // To be made before the first thread and before anything is given up.
  Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;
  // Without an address the process ends.
  ~Browser();

  // Opens it with $BROWSER, else xdg-open; says on standard error where neither can. Once.
  void open(const std::string& url);

 private:
  int to_process_ = -1;
};

}  // namespace notesdb::http
