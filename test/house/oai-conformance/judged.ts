import { Writable } from 'node:stream';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { openEndpointPort } from '../../../src/cli/validate/oai-port.ts';
import type { Clock } from '../../../src/core/adapter.ts';
import type { State, Verdict } from '../../../src/oai-conformance/answers/verdicts.ts';
import type { VisitOptions } from '../../../src/oai-conformance/answers/visit.ts';
import type { CheckId } from '../../../src/oai-conformance/checks/check-table.ts';
import {
  type EndpointValidation,
  validateEndpoint,
} from '../../../src/oai-conformance/endpoint-validation.ts';

/** What came of a look at an endpoint, so that tests can ask for a check. */
export interface Judged extends EndpointValidation {
  /** Checks in this state, in the order of the table. */
  in(state: State): CheckId[];
  of(check: CheckId): Verdict;
  /** What was found, with its check in front. */
  readonly messages: readonly string[];
}

/** As `rsbridge validate --oai` does it, by another clock if one is given. */
export async function judge(
  url: string,
  options: Partial<VisitOptions> = {},
  clock: Clock = systemClock,
): Promise<Judged> {
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const never = new AbortController().signal;
  const port = openEndpointPort(new URL(url), { allowPrivate: false }, never, { stderr }, clock);
  try {
    const found = await validateEndpoint(new URL(url), port, {
      records: 500,
      profiles: undefined,
      ...options,
    });
    return {
      ...found,
      in: (state) => found.verdicts.filter((one) => one.state === state).map(({ check }) => check),
      of: (check) => {
        const own = found.verdicts.find((one) => one.check === check);
        if (!own) throw new Error(`there is no check ${check}`);
        return own;
      },
      messages: found.verdicts.flatMap(({ findings }) =>
        findings.map(({ check, message }) => `${check}: ${message}`),
      ),
    };
  } finally {
    await port.close();
  }
}
