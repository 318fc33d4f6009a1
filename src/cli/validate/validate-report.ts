import type { Finding } from '../../conformance/documents/finding.ts';
import { severityOf } from '../../conformance/documents/rule-levels.ts';
import { describeKind } from '../../conformance/rules/document-check.ts';
import type { ValidatedUri, Validation } from '../../conformance/source-validation.ts';
import { countOf } from '../../core/count-of.ts';
import type { CommandIo } from '../terminal/io.ts';

/** For people: by document, a line for each defect. As NDJSON: a line for each finding, the summary last. */
export function printValidation(validation: Validation, json: boolean, io: CommandIo): void {
  const { uris, notes, documents, entries, sampled, packages } = validation;
  const counts = countFindings(validation);
  if (json) {
    const print = (data: object) => io.stdout.write(`${JSON.stringify(data)}\n`);
    for (const { uri, findings } of uris) {
      for (const { rule, severity, place, message } of findings) {
        print({ rule, severity, uri, place, message });
      }
    }
    const suppressed = uris.flatMap(({ uri, suppressed: rules }) =>
      [...rules].map(([rule, count]) => ({ rule, uri, count })),
    );
    print({ summary: { documents, entries, sampled, packages, ...counts, suppressed, notes } });
    return;
  }
  for (const uri of uris) {
    if (uri.findings.length > 0) io.stdout.write(`${describe(uri)}\n`);
  }
  for (const note of notes) io.stdout.write(`not checked: ${note}\n`);
  const looked = [
    `${countOf(documents, 'document')} with ${countOf(entries, 'entry')}`,
    ...(sampled > 0 ? [`${countOf(sampled, 'resource')} sampled`] : []),
    ...(packages > 0 ? [`${countOf(packages, 'package')} opened`] : []),
  ].join(', ');
  const { errors, warnings } = counts;
  const result =
    errors + warnings === 0
      ? 'no errors, no warnings'
      : `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
  const rule = uris.find(({ findings }) => findings.length > 0)?.findings[0]?.rule;
  if (rule !== undefined)
    io.stdout.write(`what a rule asks, and where the standard has it: ${ruleAddress(rule)}\n`);
  io.stdout.write(`${looked}: ${result}.\n`);
}

/** Its row in the table of rules, which comes with the package. */
function ruleAddress(rule: string): string {
  return `docs/conformance.md#${rule.toLowerCase()}`;
}

/** Suppressed ones included. */
export function countFindings({ uris }: Validation): { readonly errors: number; readonly warnings: number } {
  const counts = { errors: 0, warnings: 0 };
  const add = (severity: Finding['severity'], count: number) => {
    if (severity === 'error') counts.errors += count;
    else counts.warnings += count;
  };
  for (const { findings, suppressed } of uris) {
    for (const { severity } of findings) add(severity, 1);
    for (const [rule, count] of suppressed) add(severityOf(rule), count);
  }
  return counts;
}

function describe({ uri, kind, entries, findings, suppressed }: ValidatedUri): string {
  const what = kind === undefined ? '' : ` (${describeKind(kind)}, ${countOf(entries, 'entry')})`;
  const defects = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = `${finding.severity} ${finding.place} ${finding.message}`;
    const same = defects.get(key);
    if (same) same.push(finding);
    else defects.set(key, [finding]);
  }
  const lines = [...defects.values()].map((same) => {
    const [{ severity, place, message } = { severity: '', place: '', message: '' }] = same;
    return `  ${severity.padEnd(7)} ${same.map(({ rule }) => rule).join(' ')}  ${printable(place)}: ${printable(message)}`;
  });
  const more = [...suppressed].map(([rule, count]) => `  …       ${rule}  ${count} more`);
  return [`${printable(uri)}${what}`, ...lines, ...more].join('\n');
}

/** What comes from elsewhere must not command the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e]/gu, '�');
}
