import type { SourceConfig } from '../../core/config/config.ts';
import { ownFormats } from '../../core/config/published-formats.ts';
import type { CrosswalkFinding } from '../../core/crosswalks/finding.ts';
import { isTarget } from '../../core/crosswalks/target.ts';
import { isBridgeError } from '../../core/errors.ts';
import type { Database } from '../../store/engine/database.ts';
import { giveWay } from '../../store/engine/time-slice.ts';
import { readContents } from '../../store/payloads/contents.ts';
import {
  type ItemWithMetadata,
  listItemsWithMetadata,
  type PublishedMetadata,
} from '../../store/reading/living-metadata.ts';
import { judgeAbsence, judgeDocument, type Original, originalOf } from './judgement.ts';

/** An item by one format that aggregators have rules for. */
export interface JudgedItem {
  readonly identifier: string;
  readonly format: string;
  /** It is not in the format, because it lacks what the format cannot do without. */
  readonly isWritten: boolean;
  readonly findings: readonly CrosswalkFinding[];
}

export interface JudgedSource {
  readonly id: number;
  readonly settings: SourceConfig;
}

const itemsAtATime = 100;
/** Longer documents are no records. */
const longestJudged = 4_194_304;

/**
 * Every published item of a source, by each format that has rules: what its document lacks, whoever has made it; and, where
 * `json` is published as well, which values of it the format refuses. Read as fast as somebody takes them.
 */
export async function* judgeItems(
  { reader }: Pick<Database, 'reader'>,
  directory: string,
  { id, settings }: JudgedSource,
  stop: AbortSignal,
): AsyncGenerator<JudgedItem> {
  const wanted = (ownFormats(settings) ?? []).filter(isTarget);
  for (let after = 0; !stop.aborted; ) {
    const items = await listItemsWithMetadata(reader, id, { after, limit: itemsAtATime });
    const last = items.at(-1);
    if (last === undefined) return;
    after = last.id;
    for (const item of items) {
      const turn = giveWay();
      if (turn) await turn;
      if (item.metadata.length > 0) yield* judgeItem(item);
    }
  }

  async function* judgeItem({ identifier, metadata }: ItemWithMetadata): AsyncGenerator<JudgedItem> {
    const original = wanted.length === 0 ? undefined : await readOriginal(metadata);
    const described = metadata.filter(({ format }) => /jpcoar|openaire/i.test(format));
    for (const resource of described) {
      const { format } = resource;
      const content = await readOne(resource);
      // What others have written was not made of it by our rules.
      const made = wanted.some((name) => name === format) ? original : undefined;
      const findings = content && judgeDocument(format, content, made, settings);
      if (findings) yield { identifier, format, isWritten: true, findings };
    }
    for (const format of wanted.filter((name) => !described.some((one) => one.format === name))) {
      const findings = judgeAbsence(format, original, settings);
      if (findings.length > 0) yield { identifier, format, isWritten: false, findings };
    }
  }

  async function readOriginal(metadata: readonly PublishedMetadata[]): Promise<Original | undefined> {
    const json = metadata.find(({ format }) => format === 'json');
    const content = json && (await readOne(json));
    return content && originalOf(content, json.landingPage);
  }

  /** What is damaged is left out; `rsbridge check` speaks of it. */
  async function readOne(owner: PublishedMetadata): Promise<Uint8Array | undefined> {
    if ((owner.length ?? 0) > longestJudged) return undefined;
    try {
      for await (const { content } of readContents(reader, directory, [owner])) {
        if (content.coding !== 'file') return content.bytes;
        const chunks: Uint8Array[] = [];
        for await (const chunk of content.chunks) chunks.push(Uint8Array.from(chunk));
        return Buffer.concat(chunks);
      }
    } catch (error) {
      if (!isBridgeError(error, 'content-damaged')) throw error;
    }
    return undefined;
  }
}
