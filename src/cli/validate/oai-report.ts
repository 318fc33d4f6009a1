import { countOf } from '../../core/count-of.ts';
import { countFailed, type State, type Verdict } from '../../oai-conformance/answers/verdicts.ts';
import { checkTable } from '../../oai-conformance/checks/check-table.ts';
import type { EndpointValidation } from '../../oai-conformance/endpoint-validation.ts';
import type { CommandIo } from '../terminal/io.ts';
import { printable, printableJson } from '../terminal/terminal-text.ts';

/** For people: each check that failed, with what to do. As NDJSON: a line for each finding, the summary last. */
export function printEndpointValidation(validation: EndpointValidation, json: boolean, io: CommandIo): void {
  if (json) printLines(validation, io);
  else printSentences(validation, io);
}

function printLines({ url, name, requests, records, verdicts }: EndpointValidation, io: CommandIo): void {
  const print = (data: object) => io.stdout.write(`${printableJson(data)}\n`);
  for (const { check, findings } of verdicts) {
    const { severity, remedy } = checkTable[check];
    for (const { request, message } of findings) print({ check, severity, request, message, remedy });
  }
  for (const { check, state, reason } of verdicts) {
    if (state === 'unjudged') print({ check, unjudged: reason });
  }
  const checks = Object.fromEntries(verdicts.map(({ check, state }) => [check, state]));
  print({
    summary: { url, name, requests, records, ...countFailed(verdicts), ...countStates(verdicts), checks },
  });
}

function printSentences({ url, name, requests, records, verdicts }: EndpointValidation, io: CommandIo): void {
  const failed = verdicts.filter(({ state }) => state === 'failed');
  if (failed.length > 0) {
    io.stdout.write(`${printable(url)}${name === undefined ? '' : ` (${printable(name)})`}\n`);
  }
  for (const verdict of failed) io.stdout.write(describe(verdict));
  for (const [reason, checks] of byReason(verdicts)) {
    io.stdout.write(`could not be judged: ${checks.join(' ')}: ${printable(reason)}\n`);
  }
  const [first] = failed;
  if (first) {
    io.stdout.write(`what a check asks, and who asks for it: docs/validate-oai.md#${first.check}\n`);
  }
  const { errors, warnings } = countFailed(verdicts);
  const { passed, unjudged, absent } = countStates(verdicts);
  const result =
    errors + warnings > 0
      ? `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`
      : unjudged > 0
        ? 'no errors and no warnings in what could be judged'
        : 'no errors, no warnings';
  const looked = [
    `${countOf(passed, 'check')} passed`,
    `${failed.length} failed`,
    ...(unjudged > 0 ? [`${unjudged} could not be judged`] : []),
    `${absent} had nothing to look at`,
  ].join(', ');
  io.stdout.write(`${countOf(requests, 'request')}, ${countOf(records, 'record')}: ${looked}: ${result}.\n`);
}

function describe({ check, findings, suppressed }: Verdict): string {
  const { severity, remedy } = checkTable[check];
  const lines = findings.flatMap(({ request, message }) => [
    `  ${severity.padEnd(7)} ${check}  ${printable(message)}`,
    `          ${printable(request)}`,
  ]);
  const more = suppressed > 0 ? [`  …       ${check}  ${suppressed} more`] : [];
  return `${[...lines, ...more, `          → ${remedy}`].join('\n')}\n`;
}

/** What stayed open, with the reasons that they share. */
function byReason(verdicts: readonly Verdict[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { check, state, reason = '' } of verdicts) {
    if (state !== 'unjudged') continue;
    found.set(reason, [...(found.get(reason) ?? []), check]);
  }
  return found;
}

function countStates(verdicts: readonly Verdict[]): Readonly<Record<State, number>> {
  const counts = { passed: 0, failed: 0, unjudged: 0, absent: 0 };
  for (const { state } of verdicts) counts[state] += 1;
  return counts;
}
