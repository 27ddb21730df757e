/** "resetLock" as people write it: "reset lock". */
export function transitionText(transition: string): string {
  return transition.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
