import { countUnpublished } from '../../../store/files/unpublished-files.ts';
import { totalOf } from '../../../store/files/withheld-files.ts';
import type { SourceDetails } from '../../../store/reading/source-details.ts';
import { html, type Markup } from '../../html/html.ts';
import type { AdminWords } from '../page/words.ts';

/** How the files of a source are doing, as a term and its description; false where no record has named one. */
export function fileFacts(
  details: SourceDetails | undefined,
  { source, number }: AdminWords,
): Markup | false {
  if (!details) return false;
  const { files, withheldFiles: withheld } = details;
  const unpublished = countUnpublished(files, withheld);
  const counts = [
    [source.files.confirmed, files.confirmed],
    [source.files.withheld, totalOf(withheld)],
    [source.files.refused, unpublished.refused],
    [source.files.gone, unpublished.gone],
    [source.files.atPrivateAddresses, unpublished.atPrivateAddresses],
    [source.files.unreachable, files.unreachable],
    [source.files.unchecked, files.unchecked],
    [source.files.mirrored, files.mirrored],
  ] as const;
  const known = counts.filter(([, count]) => count > 0);
  if (known.length === 0) return false;
  const lines = known.map(([what, count]) => html`<li>${what} ${number(count)}</li>`);
  const toAllow = files.atPrivateAddresses > 0 && html`<p class="soft">${source.files.toAllow}</p>`;
  return html`<dt>${source.files.title}</dt><dd><ul>${lines}</ul>${toAllow}</dd>`;
}
