/** Saves a text as a file of the reader's. @param name of the file; what no file system takes becomes a dash. */
export function downloadText(name: string, text: string, mediaType: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
  followDownload(url, name);
  // The browser has taken the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Saves what an address answers. */
export function followDownload(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[^\w.-]+/g, '-').slice(0, 120);
  link.click();
}
