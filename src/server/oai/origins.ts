import type { RepositoryInfo } from '../../core/adapter.ts';
import { mapFormatBeside, offeredAmong } from '../../oai/formats.ts';
import type { OfferedFormat } from '../../oai/lists.ts';

/** What a repository said of itself, read once for each text of it. */
export interface SourceFacts {
  readonly info: RepositoryInfo;
  readonly formats: readonly OfferedFormat[];
  readonly byPrefix: ReadonlyMap<string, OfferedFormat>;
  /** In which its items are offered as wholes; undefined: it has Resource Maps of its own. */
  readonly map: OfferedFormat | undefined;
}

interface Known extends SourceFacts {
  readonly text: string;
}

/** Every request asks the same of the same source. */
export class KnownFacts {
  readonly #known = new Map<number, Known>();

  /** @param info `RepositoryInfo` as JSON, as it is stored now */
  of(sourceId: number, info: string): SourceFacts {
    const known = this.#known.get(sourceId);
    if (known?.text === info) return known;
    const read = JSON.parse(info) as RepositoryInfo;
    const formats = offeredAmong(read);
    const facts = {
      text: info,
      info: read,
      formats,
      byPrefix: new Map(formats.map((format) => [format.prefix, format])),
      map: mapFormatBeside(formats),
    };
    this.#known.set(sourceId, facts);
    return facts;
  }
}
