/** "resetLock" as text: "reset lock"; "retryUrls": "retry URLs". */
export function transitionText(transition: string): string {
  return transition
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\burl(s?)$/, 'URL$1');
}
