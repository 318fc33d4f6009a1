import { toIso } from '../../../src/core/datetime.ts';
import type { SimulatorSettings } from '../../../src/simulate/settings.ts';
import { Simulator } from '../../../src/simulate/simulator.ts';

const begin = Date.parse('2026-11-01T00:00:00Z');

/** A simulated Source whose random changes come when a test wants them, a second later each time; with faults. */
export class LivingSource {
  readonly simulator: Simulator;
  /** Every content that there ever was. */
  readonly #ever = new Set<string>();
  #clock: { now: number };

  private constructor(simulator: Simulator, clock: { now: number }) {
    this.simulator = simulator;
    this.#clock = clock;
    this.#note();
  }

  static async open(settings: Partial<SimulatorSettings>, faults: readonly string[] = []) {
    const clock = { now: begin };
    const given = { port: 0, rate: 0, ...settings };
    const simulator = await Simulator.open(given, faults, { clock: () => clock.now });
    return new LivingSource(simulator, clock);
  }

  get origin(): string {
    return this.simulator.origin;
  }

  get now(): string {
    return toIso(new Date(this.#clock.now));
  }

  pass(seconds: number): void {
    this.#clock.now += seconds * 1000;
  }

  step(events: number): void {
    for (let event = 0; event < events; event += 1) {
      this.pass(1);
      this.simulator.step(1);
      this.#note();
    }
  }

  list(): void {
    this.pass(1);
    this.simulator.list();
  }

  setFaults(names: readonly string[]): void {
    this.simulator.setFaults(names);
  }

  /** Nothing is wrong with it any more. */
  heal(): void {
    this.setFaults([]);
    this.list();
  }

  /** Contents, whatever they are called in a copy. */
  contents(): readonly string[] {
    return [...this.simulator.repository.all()].map(({ content }) => content.bytes().toString()).sort();
  }

  /** Which of these are no content that the Source ever had. */
  strangersAmong(contents: readonly string[]): readonly string[] {
    return contents.filter((content) => !this.#ever.has(content));
  }

  close(): Promise<void> {
    return this.simulator.close();
  }

  #note(): void {
    for (const content of this.contents()) this.#ever.add(content);
  }
}
