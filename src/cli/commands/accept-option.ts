/** What a person accepts: what a run has shown; `true`: the latest one that looked. */
export type AcceptFlag = number | true;

/**
 * `--accept-deletions 12`, and `--accept-deletions SOURCE`, where the option has swallowed the name.
 * @throws Error in words, where it is neither
 */
export function parseAccept(text: string): AcceptFlag | string {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : text;
}
