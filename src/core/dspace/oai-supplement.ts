import type { Adapter, Checkpoint, MetadataFormat, Page, PageRequest, SourceItem } from '../adapter.ts';

/**
 * Formats that only the OAI-PMH endpoint of a DSpace has, beside those that its own interface gives us: the
 * repository's own pages come first, then the pages of that endpoint, each of whose items is more of one that an own
 * page speaks for.
 */
export interface OaiSupplement {
  readonly oai: Adapter;
  /** Published formats that come from there. */
  readonly formats: readonly MetadataFormat[];
  /** What an item of the endpoint's is called here; undefined: it is none of ours. */
  readonly identifierOf: (oaiIdentifier: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** What the endpoint takes part with, of what it offers. @throws BridgeError when it does not answer */
export async function supplementFormats(
  oai: Adapter,
  signal: AbortSignal,
): Promise<readonly MetadataFormat[]> {
  const { formats } = await oai.identify(signal);
  return formats.filter(({ selected }) => selected);
}

/**
 * One run through both. A checkpoint says which part it is of; own pages that have come to their end have to be
 * resumable there, with nothing left.
 * @param own the repository's own pages, with checkpoints of their own
 * @param supplement undefined: there is nothing beside them
 */
export async function* withSupplement(
  own: (request: PageRequest) => AsyncIterable<Page>,
  supplement: OaiSupplement | undefined,
  request: PageRequest,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const resumed = fromPart(request.checkpoint);
  if (resumed?.part !== 'oai') {
    const awaited = supplement?.formats.map(({ name }) => name) ?? [];
    for await (const page of own({ ...request, checkpoint: resumed?.at })) {
      const checkpoint = toPart('own', page.checkpoint);
      yield { ...page, checkpoint, ...(awaited.length === 0 ? {} : { awaited }) };
    }
  }
  if (supplement === undefined) return;
  const oai = { ...request, checkpoint: resumed?.part === 'oai' ? resumed.at : undefined };
  for await (const page of supplement.oai.pages(oai, signal)) {
    const { items, problems, awaited } = page;
    const named = await Promise.all(
      items.map(async (item) => {
        const identifier = await supplement.identifierOf(item.identifier, signal);
        return identifier === undefined ? [] : [{ ...item, identifier, supplement: true }];
      }),
    );
    // `asOf` is the own part's: what changes while it is read must not be behind the next run.
    yield {
      items: named.flat(),
      problems,
      checkpoint: toPart('oai', page.checkpoint),
      ...(awaited === undefined ? {} : { awaited }),
    };
  }
}

/**
 * An item that was asked for by itself, in all formats.
 * @param oaiIdentifier undefined: the endpoint does not know it
 */
export async function completeItem(
  own: SourceItem,
  supplement: OaiSupplement | undefined,
  oaiIdentifier: string | undefined,
  signal: AbortSignal,
): Promise<SourceItem> {
  if (supplement === undefined) return own;
  if (own.deleted) return speakingForAll(own, supplement);
  const more = oaiIdentifier === undefined ? undefined : await supplement.oai.item(oaiIdentifier, signal);
  // The endpoint's index is a day behind: what it does not have yet, or any more, is no word on the item.
  if (more === undefined || more.deleted) return own;
  const formats = [...new Set([...own.speaksFor.formats, ...more.speaksFor.formats])];
  return {
    ...own,
    speaksFor: { ...own.speaksFor, formats },
    metadata: [...own.metadata, ...more.metadata],
  };
}

/** A deletion speaks for everything that there may be of an item. */
export function speakingForAll(deleted: SourceItem, supplement: OaiSupplement | undefined): SourceItem {
  const more = supplement?.formats.map(({ name }) => name) ?? [];
  const formats = [...new Set([...deleted.speaksFor.formats, ...more])];
  return { ...deleted, speaksFor: { ...deleted.speaksFor, formats } };
}

interface Part {
  readonly part: 'own' | 'oai';
  readonly at: Checkpoint;
}

function toPart(part: Part['part'], at: Checkpoint | undefined): Checkpoint | undefined {
  return at && { part, at };
}

/** Tolerant: a checkpoint nobody understands starts the run again, which loses nothing. */
function fromPart(checkpoint: Checkpoint | undefined): Part | undefined {
  const { part, at } = checkpoint ?? {};
  if ((part !== 'own' && part !== 'oai') || typeof at !== 'object' || at === null) return undefined;
  return { part, at: at as Checkpoint };
}
