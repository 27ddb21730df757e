/** An action's name on the command line, which writes its words with hyphens. */
export function asTyped(action: string): string {
  return action.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
