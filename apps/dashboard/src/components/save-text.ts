import { notify, notifyError } from './notify.js';

/** Puts a text on the clipboard, also where the page came by plain http from another machine. @throws Error. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text);
  }
}

/** Copies what is selected, where the browser offers no clipboard or refuses it. @throws Error. */
function copyBySelection(text: string): void {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  // Nothing behind a modal dialog can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  if (!isCopied) throw new Error('The browser does not allow copying.');
}

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

/** Puts a text on the clipboard and says so. @param what it is, in words: `the link`. */
export async function copyAs(what: string, text: string | Promise<string>): Promise<void> {
  try {
    await copyText(await text);
    notify(`Copied ${what}`);
  } catch (error) {
    notifyError(`Could not copy ${what}`, error as Error);
  }
}
