import { isSetSpec } from '../../oai/protocol.ts';
import { shown } from '../answers/answer-form.ts';
import { keptText } from '../answers/kept-text.ts';
import { hasCode, type OaiAnswer, outcomeOf } from '../answers/oai-answer.ts';
import { tokenOf } from '../answers/record-header.ts';
import type { Query, Visit } from '../answers/visit.ts';
import { childrenOf, textOf } from '../answers/xml-element.ts';

/** Repositories with a set for each journal have tens of thousands. */
const mostPages = 20;
const longestSpec = 1_000;

/** The sets of a repository, as far as they were read. */
export interface StatedSets {
  readonly specs: ReadonlySet<string>;
  /** All of them were read. */
  readonly whole: boolean;
}

/** Asks which sets there are. @returns undefined where nothing can be said; no specs where it has none */
export async function checkSets(visit: Visit): Promise<StatedSets | undefined> {
  const needs = ['sets-answer', 'sets-spec', 'sets-once', 'sets-hierarchy', 'sets-paged'] as const;
  const specs = new Set<string>();
  let query: Query = { verb: 'ListSets' };
  for (let page = 0; ; page += 1) {
    const answer: OaiAnswer | undefined = await visit.ask(query, needs);
    if (!answer) return page === 0 ? undefined : { specs, whole: false };
    const { content } = answer;
    const isRefused = hasCode(answer, 'noSetHierarchy');
    if (page === 0 && isRefused) {
      visit.judge('sets-answer', answer, undefined);
      return { specs, whole: true };
    }
    const found = childrenOf(content, 'set').map((set) => {
      return keptText(textOf(set, 'setSpec'), longestSpec);
    });
    visit.judge(
      'sets-answer',
      answer,
      found.length > 0 ? undefined : `ListSets is answered with ${outcomeOf(answer)}`,
    );
    if (found.length === 0) return page === 0 ? undefined : { specs, whole: false };
    for (const spec of found) {
      visit.judge('sets-spec', answer, isSetSpec(spec) ? undefined : `the setSpec is ${shown(spec)}`);
      visit.judge('sets-once', answer, specs.has(spec) ? `${spec} is listed twice` : undefined);
      specs.add(spec);
    }
    const token = tokenOf(answer)?.text ?? '';
    visit.judge(
      'sets-paged',
      answer,
      token === '' || page > 0 ? undefined : `the first page has ${found.length} sets, and there are more`,
    );
    if (token === '') break;
    if (page + 1 >= mostPages) return { specs, whole: false };
    query = { verb: 'ListSets', resumptionToken: token };
  }
  judgeHierarchy(visit, specs);
  return { specs, whole: true };
}

function judgeHierarchy(visit: Visit, specs: ReadonlySet<string>): void {
  const request = { request: `${visit.url}?verb=ListSets` };
  for (const spec of specs) {
    const above = spec.includes(':') ? spec.slice(0, spec.lastIndexOf(':')) : undefined;
    if (above === undefined) continue;
    visit.judge(
      'sets-hierarchy',
      request,
      specs.has(above) ? undefined : `there is ${spec}, and no ${above}`,
    );
  }
}
