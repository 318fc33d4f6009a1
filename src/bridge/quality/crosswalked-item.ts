import type { SourceItem } from '../../core/adapter.ts';
import { isDspace } from '../../core/config/published-formats.ts';
import { circumstancesOfSource } from '../../core/crosswalks/circumstances.ts';
import type { CrosswalkFinding } from '../../core/crosswalks/finding.ts';
import { fieldsNotTaken } from '../../core/crosswalks/statements.ts';
import { localFieldsFor, type Target } from '../../core/crosswalks/target.ts';
import type { MetadataValue } from '../../core/dspace/dspace-item.ts';
import { BridgeError } from '../../core/errors.ts';
import { anyIdentifier } from '../../store/reading/items.ts';
import type { Bridge } from '../bridge.ts';
import { withSettings } from '../drafts/tried-source.ts';
import { judgeAbsence, judgeDocument, originalOf } from './judgement.ts';

/** What goes into a document, and what comes out. */
export interface CrosswalkedItem {
  readonly metadata: readonly MetadataValue[];
  /** Undefined: nothing is written of it. */
  readonly document: string | undefined;
  readonly findings: readonly CrosswalkFinding[];
  /** Its fields that neither a rule nor the settings know. */
  readonly notTaken: readonly string[];
}

/**
 * Asks a DSpace for one item, and writes it as a harvest would by the settings as they are now, whether the source is
 * published in that format or not; nothing is stored.
 * @throws BridgeError `unknown-source`, `unknown-item`, `usage` for a source that is no DSpace, and whatever reading throws
 */
export async function crosswalkItem(
  bridge: Bridge,
  source: string,
  identifier: string,
  target: Target,
  signal: AbortSignal,
): Promise<CrosswalkedItem> {
  const { config } = bridge.source(source);
  if (!isDspace(config))
    throw new BridgeError(
      'usage',
      `${source} is read by ${config.adapter}, and published as it comes; only sources by dspace and dspace-legacy are written in other formats`,
    );
  const settings = { ...config, formats: ['json', target] };
  const known = { knownIdentifier: () => anyIdentifier(bridge.database.reader, source) };
  const found = await withSettings(bridge, settings, known, (adapter) => adapter.item(identifier, signal));
  const json = found && contentOf(found, 'json');
  const original = json && originalOf(json, found.landingPage);
  if (found === undefined || original === undefined)
    throw new BridgeError(
      'unknown-item',
      `${source} does not have ${identifier}, or not for everybody; an identifier is one like oai:repo.example.org:1234/56`,
    );
  const document = contentOf(found, target);
  const { metadata } = original.item;
  const local = localFieldsFor(target, circumstancesOfSource(settings.crosswalk));
  const item = { metadata, notTaken: fieldsNotTaken(metadata, local) };
  if (document === undefined)
    return { ...item, document, findings: judgeAbsence(target, original, settings) };
  const findings = judgeDocument(target, document, original, settings) ?? [];
  return { ...item, document: Buffer.from(document).toString('utf8'), findings };
}

function contentOf({ metadata }: SourceItem, wanted: string): Uint8Array | undefined {
  return metadata.find(({ format }) => format === wanted)?.content;
}
