import type { Severity } from '../../resourcesync/documents/report.ts';

/**
 * The rules that say must or must not; every other says should or may, or only follows from the text. The ids are
 * those of the checklist for ResourceSync 1.1 and, as `AR`, of the facts about ResourceSync Archives 0.9.1; as `CN`, `FN` and `NT`, of
 * those about Change and Framework Notification 1.0.1.
 */
const mandatory: Readonly<Record<string, string>> = {
  'RS-GEN': '01 02 03 04 05 06 07 09 10 12 13 14 15 16 17 24',
  'RS-TIME': '01 04 06 07 08 09 10 11 14',
  'RS-A': '01 02 03 04 05 06 07 08 09 10',
  'RS-ATTR': '01 02 03 04 05 08 09 11 12 13 15 17 18 20 21 22',
  'RS-NAV': '01 02 05 08',
  'RS-DISC': '01 04 05 06 07 11',
  'RS-SD': '01 04 05 08 09',
  'RS-CAP': '01 02 03 05 06 07 08 11 12',
  'RS-RL': '01 02 04 07 11',
  'RS-RLI': '01 02 04 06 09',
  'RS-RD': '01 02 03 06 12 15',
  'RS-RDI': '01',
  'RS-RDM': '01 02 03 04 05 06 07 09',
  'RS-CL': '01 02 04 05 06 09 11 15 16 17',
  'RS-CLI': '01 02 03 04 07 08 09',
  'RS-CD': '01 02 03 09 10 12 14 15',
  'RS-CDI': '01',
  'RS-CDM': '01 02 03 04 05 07 08 09',
  'RS-LN': '02 03 07 09 10 11 12 13 14 15 16 18 19 20 21 22 24 25 26',
  'RS-AGG': '02',
  'RS-DST': '02 05',
  AR: '01 02 03 05 09 10 12 13 14',
  CN: '01 02 05 06 08 09 10 11',
  FN: '01 03 04 05 07 08 10',
  NT: '01',
};

/** "Only used in …" is a must not, though the checklist lists what is allowed: where they may not be, they may not. */
const onlyWhere = ['RS-ATTR-06', 'RS-TIME-15'];

const errors: ReadonlySet<string> = new Set([
  ...Object.entries(mandatory).flatMap(([section, numbers]) =>
    numbers.split(' ').map((number) => `${section}-${number}`),
  ),
  ...onlyWhere,
]);

/** `error` for what must or must not be, `warning` for the rest. */
export function severityOf(rule: string): Severity {
  return errors.has(rule) ? 'error' : 'warning';
}
