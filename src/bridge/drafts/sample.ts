import type { Adapter, Page, SourceItem } from '../../core/adapter.ts';
import { describeMetadata, inOrderOfDetail, sayingMost } from '../../core/descriptions/describe.ts';
import type { DraftTrial, TriedItem } from '../../core/drafts/source-draft.ts';
import { cut } from './cut.ts';

const itemsShown = 50;
const problemsShown = 20;
/** Some begin with pages on which nothing is. */
const pagesAtMost = 5;

type Sample = Omit<DraftTrial, 'choices'>;

/**
 * The first page of a harvest on which something is. Where that tells of files alone, because another format says which
 * there are, the first page of metadata stands for it.
 * @param read reads a page by the source's settings, or without its files
 */
export async function readTrial(read: (files: 'with' | 'without') => Promise<Sample>): Promise<Sample> {
  const first = await read('with');
  const living = first.items.filter(({ deleted }) => !deleted);
  if (living.length === 0 || living.some(({ formats }) => formats.length > 0)) return first;
  const second = await read('without');
  const files = new Map(first.items.map((item) => [item.identifier, item.files]));
  return {
    ...second,
    items: second.items.map((item) => ({ ...item, files: files.get(item.identifier) ?? item.files })),
    problems: [...second.problems, ...first.problems].slice(0, problemsShown),
    problemCount: second.problemCount + first.problemCount,
  };
}

/**
 * One page of records; nothing is stored.
 * @throws BridgeError where a harvest would fail
 */
export async function readSample(adapter: Adapter, signal: AbortSignal): Promise<Sample> {
  let pages = 0;
  let sample: Sample = { items: [], records: 0, problems: [], problemCount: 0 };
  for await (const page of adapter.pages({ mode: 'full' }, signal)) {
    pages += 1;
    sample = await toSample(page);
    if (page.items.length + page.problems.length > 0 || pages === pagesAtMost) break;
  }
  return sample;
}

async function toSample({ items, problems, expectedTotal }: Page): Promise<Sample> {
  const shown: TriedItem[] = [];
  for (const item of items.slice(0, itemsShown)) shown.push(await toTried(item));
  return {
    items: shown,
    records: items.length,
    ...(expectedTotal === undefined ? {} : { expectedTotal }),
    problems: problems.slice(0, problemsShown).map(({ identifier, message }) => ({
      ...(identifier === undefined ? {} : { identifier: cut(identifier) }),
      message: cut(message),
    })),
    problemCount: problems.length,
  };
}

async function toTried({ identifier, deleted, metadata, files }: SourceItem): Promise<TriedItem> {
  const said = await sayingMost(inOrderOfDetail(metadata), async ({ content, mediaType }) =>
    describeMetadata(content, mediaType),
  );
  const title = said?.description.title;
  return {
    identifier: cut(identifier),
    ...(title === undefined ? {} : { title: cut(title.text) }),
    ...(title?.language === undefined ? {} : { language: cut(title.language) }),
    deleted,
    formats: [...new Set(metadata.map(({ format }) => cut(format)))],
    files: files.length,
  };
}
