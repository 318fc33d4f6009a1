import { type CheckedDocument, checkDocument } from './document-check.ts';
import type { Attributes } from './document-model.ts';
import type { Finding } from './finding.ts';
import { documentAt, type SurveyedDocument, surveyRules } from './survey-rules.ts';

/** Where documents come from: HTTP for `validate`, a publication for tests. Undefined: not there. */
export type FetchDocument = (uri: string) => Promise<AsyncIterable<Uint8Array> | undefined>;

export interface CheckedUri {
  readonly uri: string;
  /** Undefined where nothing answered. */
  readonly document: CheckedDocument | undefined;
  /** Of the document itself, and of what it says of others. */
  readonly findings: readonly Finding[];
}

/**
 * Checks a Source from any of its documents on: what it leads to upwards, downwards and to its index, each by
 * itself and all against one another.
 */
export async function checkSource(
  start: string,
  fetch: FetchDocument,
  { maximumDocuments = 10_000 }: { readonly maximumDocuments?: number } = {},
): Promise<readonly CheckedUri[]> {
  const survey = new Map<string, SurveyedDocument>();
  const checked = new Map<string, CheckedDocument | undefined>();
  const queue = [start];
  for (let uri = queue.shift(); uri !== undefined; uri = queue.shift()) {
    if (checked.has(uri) || checked.size >= maximumDocuments) continue;
    const { document, surveyed } = await visit(uri, fetch);
    checked.set(uri, document);
    if (!surveyed) continue;
    survey.set(uri, surveyed);
    queue.push(...[surveyed.up, surveyed.index].filter((target) => target !== undefined));
    if (isNavigation(surveyed)) queue.push(...surveyed.members.map(({ loc }) => loc));
  }
  return [...checked].map(([uri, document]) => {
    const surveyed = survey.get(uri);
    const across = surveyed ? surveyRules(surveyed, survey, checked) : [];
    return { uri, document, findings: [...(document?.findings ?? []), ...across] };
  });
}

async function visit(
  uri: string,
  fetch: FetchDocument,
): Promise<{ document: CheckedDocument | undefined; surveyed?: SurveyedDocument }> {
  const chunks = await fetch(uri);
  if (!chunks) return { document: undefined };
  const members: { loc: string; md: Attributes }[] = [];
  const document = await checkDocument(chunks, {
    // The entries of lists are many and lead to no document.
    onEntry: ({ locs: [loc], md: [md = new Map()] }, kind) => {
      if (loc !== undefined && isNavigation({ kind })) members.push({ loc, md });
    },
  });
  return { document, surveyed: documentAt(uri, document, members) };
}

function isNavigation({ kind }: Pick<SurveyedDocument, 'kind'>): boolean {
  return (
    kind === 'SD' || kind === 'CAP' || kind === 'RLI' || kind === 'CLI' || kind === 'RDI' || kind === 'CDI'
  );
}
