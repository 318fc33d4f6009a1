import { createRecord } from './records/records.ts';
import { addFile, replaceFile } from './records/sample-files.ts';
import type { SampleRecord } from './records/sample-record.ts';

export interface SampleEdit {
  readonly kind: 'edited' | 'added' | 'deleted';
  readonly identifier: string;
  readonly title: string;
  readonly datestamp: string;
  /** Where the edit was one of its files, and not of its title. */
  readonly file?: { readonly change: 'added' | 'replaced' | 'removed'; readonly name: string };
}

const marks = ['revised', 'corrected', 'with an afterword', 'new edition', '増補版', '✍️'];

/** Something that happens in a library: a correction, a new work, another file, sometimes a withdrawal. */
export function editRandomly(
  records: SampleRecord[],
  random: () => number,
  now: string,
  mayRemove = true,
): SampleEdit {
  const dice = random();
  const live = records.filter(({ deleted }) => !deleted);
  const chosen = live[Math.floor(random() * live.length)];
  if (dice < 0.3 || chosen === undefined) {
    const added = createRecord(records.length, now);
    records.push(added);
    return describe('added', added);
  }
  if (dice < 0.45 && mayRemove)
    return replace(records, { ...chosen, deleted: true, datestamp: now }, 'deleted');
  // The last quarter of the dice for files takes one away.
  if (dice >= 0.75) return editFiles(records, chosen, mayRemove ? random() : 0.75 * random(), now);
  const mark = marks[Math.floor(random() * marks.length)] ?? 'revised';
  const title = `${chosen.title.replace(/ \[[^\]]*\]$/, '')} [${mark}, ${now.slice(11, 19)}]`;
  return replace(records, { ...chosen, title, datestamp: now }, 'edited');
}

function editFiles(records: SampleRecord[], chosen: SampleRecord, dice: number, now: string): SampleEdit {
  const place = Math.floor(dice * 1000) % Math.max(1, chosen.files.length);
  const file = chosen.files[place];
  const change = dice < 0.4 || file === undefined ? 'added' : dice < 0.75 ? 'replaced' : 'removed';
  const edited =
    change === 'added' || file === undefined ? addFile(chosen, now) : replaceFile(chosen, file, now);
  const files = change === 'added' ? [...chosen.files, edited] : [...chosen.files];
  if (change === 'replaced') files[place] = edited;
  if (change === 'removed') files.splice(place, 1);
  const record = { ...chosen, files, datestamp: now };
  return { ...replace(records, record, 'edited'), file: { change, name: edited.name } };
}

function replace(records: SampleRecord[], record: SampleRecord, kind: SampleEdit['kind']): SampleEdit {
  records[record.position] = record;
  return describe(kind, record);
}

function describe(kind: SampleEdit['kind'], { identifier, title, datestamp }: SampleRecord): SampleEdit {
  return { kind, identifier, title, datestamp };
}
