/** `1 item`, `2 items`. */
export function countOf(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`;
}
