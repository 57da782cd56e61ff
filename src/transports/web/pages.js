// Makes the pages quicker to use; every page also works without it. It copies a new key and shows the progress of an upload.
(() => {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    if (navigator.clipboard === undefined) continue; // only pages over https or on this machine may copy
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }

  for (const form of document.querySelectorAll(".filters")) form.addEventListener("change", () => form.requestSubmit());
})();
