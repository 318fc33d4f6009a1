import { createRecord, type SampleRecord } from './records.ts';

export interface SampleEdit {
  readonly kind: 'edited' | 'added' | 'deleted';
  readonly identifier: string;
  readonly title: string;
  readonly datestamp: string;
}

const marks = ['revised', 'corrected', 'with an afterword', 'new edition', '増補版', '✍️'];

/** Something that happens in a library: mostly a correction, often a new work, sometimes a withdrawal. */
export function editRandomly(records: SampleRecord[], random: () => number, now: string): SampleEdit {
  const dice = random();
  const live = records.filter(({ deleted }) => !deleted);
  const chosen = live[Math.floor(random() * live.length)];
  if (dice < 0.3 || chosen === undefined) {
    const added = createRecord(records.length, now);
    records.push(added);
    return describe('added', added);
  }
  if (dice < 0.45) return replace(records, { ...chosen, deleted: true, datestamp: now }, 'deleted');
  const mark = marks[Math.floor(random() * marks.length)] ?? 'revised';
  const title = `${chosen.title.replace(/ \[[^\]]*\]$/, '')} [${mark}, ${now.slice(11, 19)}]`;
  return replace(records, { ...chosen, title, datestamp: now }, 'edited');
}

function replace(records: SampleRecord[], record: SampleRecord, kind: SampleEdit['kind']): SampleEdit {
  records[record.position] = record;
  return describe(kind, record);
}

function describe(kind: SampleEdit['kind'], { identifier, title, datestamp }: SampleRecord): SampleEdit {
  return { kind, identifier, title, datestamp };
}
