// Times in the reader's zone, ids copied, live parts read again, the inbox by keyboard, pictures
// scrolled to what waits.
// Pages work without any of it.
(() => {
  "use strict";
  const lookEvery = 2000;
  const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
  const brief = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const older = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });

  function tellTimes(root) {
    for (const element of root.querySelectorAll("time[datetime]")) {
      const at = new Date(element.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      const text = (at.getFullYear() === new Date().getFullYear() ? brief : older).format(at);
      if (element.textContent !== text) element.textContent = text;
      element.title = full.format(at);
    }
  }

  async function copy(button) {
    const text = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.classList.add("done");
    const told = document.getElementById("told");
    told.textContent = `Copied ${text}`;
    setTimeout(() => { button.classList.remove("done"); told.textContent = ""; }, 1200);
  }

  // A picture that does not fit shows first what waits or has failed.
  function showWhatWaits(graph) {
    const at = graph.querySelector(".node.wait, .node.bad, .node.busy");
    if (at) graph.scrollLeft = at.getBoundingClientRect().right - graph.getBoundingClientRect().left - graph.clientWidth * 0.7;
  }

  // A form that was sent ends this page: what it shows may be gone before the next one comes.
  let leaving = false;
  function leave() {
    leaving = true;
    const live = document.getElementById("live");
    if (live && window.htmx) window.htmx.trigger(live, "htmx:abort");
  }

  function lookAgain() {
    const live = document.getElementById("live");
    if (!live || leaving || document.visibilityState !== "visible" || !window.htmx) return;
    const chosen = document.getSelection();
    if (chosen && !chosen.isCollapsed && live.contains(chosen.anchorNode)) return; // somebody is copying
    window.htmx.trigger(live, "look");
  }

  // One key does what the element that names it does: a link or button is clicked, a field focused.
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const element = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!element) return;
    event.preventDefault();
    if (element.matches("input, textarea, select, [data-focus]")) element.focus();
    else element.click();
  }

  // A file that is dropped is sent at once.
  function takeDrops(area) {
    const mark = (over) => (event) => { event.preventDefault(); area.classList.toggle("over", over); };
    area.addEventListener("dragover", mark(true));
    area.addEventListener("dragleave", mark(false));
    area.addEventListener("drop", (event) => {
      mark(false)(event);
      const field = area.querySelector("input[type=file]");
      field.files = event.dataTransfer.files;
      if (field.files.length) field.form.requestSubmit();
    });
  }

  function init() {
    tellTimes(document);
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-copy]");
      if (button) copy(button);
    });
    document.addEventListener("submit", (event) => {
      const asked = event.submitter && event.submitter.dataset.confirm;
      if (asked && !window.confirm(asked)) event.preventDefault();
      if (!event.defaultPrevented) leave();
    });
    document.addEventListener("keyup", onKey);
    // A form that somebody is filling in stays as it is while the page around it is read again.
    for (const kind of ["focusin", "input", "change"]) {
      document.addEventListener(kind, (event) => { event.target.form?.setAttribute("data-touched", ""); });
    }
    document.addEventListener("change", (event) => {
      if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
    });
    document.addEventListener("visibilitychange", lookAgain);
    window.addEventListener("pageshow", () => { leaving = false; }); // by the way back, too
    for (const area of document.querySelectorAll("[data-drop]")) takeDrops(area);
    for (const graph of document.querySelectorAll(".graph")) showWhatWaits(graph);
    document.addEventListener("htmx:after:swap", () => tellTimes(document));
    const offline = document.getElementById("offline");
    document.addEventListener("htmx:error", () => { offline.hidden = false; });
    document.addEventListener("htmx:after:request", () => { offline.hidden = true; });
    setInterval(lookAgain, lookEvery);
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", init);
  else init();
})();
