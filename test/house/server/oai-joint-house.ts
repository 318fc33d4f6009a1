import type { FastifyInstance } from 'fastify';
import type { JointOaiOffer, ServerDeps } from '../../../src/server/deps.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import {
  beginJoint,
  endJoint,
  leaveJoint,
  readTaken,
  takeUpRecords,
} from '../../../src/store/oai/joint-order.ts';
import { OaiHouse, tokenIn } from './oai-house.ts';

/** Several sources that answer OAI-PMH as one repository, by one clock. */
export class OaiJointHouse {
  readonly houses: readonly OaiHouse[];
  readonly app: FastifyInstance;
  readonly database: Database;
  /** Those that belong to it. */
  members: readonly string[];
  readonly #servers: readonly OaiHouse[];

  static async open(
    database: Database,
    count: number,
    overrides: Partial<ServerDeps> = {},
  ): Promise<OaiJointHouse> {
    const houses: OaiHouse[] = [];
    for (let number = 0; number < count; number += 1) houses.push(await OaiHouse.open(database));
    const house: { joint?: OaiJointHouse } = {};
    const server = await OaiHouse.open(database, {
      jointOai: () => house.joint?.offer(),
      clock: { now: () => new Date(house.joint?.now ?? '2026-11-21T10:00:00Z') },
      ...overrides,
    });
    house.joint = new OaiJointHouse(database, houses, server);
    await beginJoint(database, house.joint.now);
    return house.joint;
  }

  private constructor(database: Database, houses: readonly OaiHouse[], server: OaiHouse) {
    this.database = database;
    this.houses = houses;
    this.app = server.app;
    this.members = houses.map(({ source }) => source);
    this.#servers = [...houses, server];
  }

  /** One of them. */
  of(index: number): OaiHouse {
    const house = this.houses[index];
    if (!house) throw new Error(`there is no house ${index}`);
    return house;
  }

  offer(): JointOaiOffer {
    return {
      adminEmail: 'admin@bridge.example.org',
      name: 'All of Kyushu',
      friends: [],
      sources: new Map(
        [...this.members].sort().map((name) => [name, { title: `The ${name}`, namespace: undefined }]),
      ),
    };
  }

  get now(): string {
    return this.of(0).now;
  }

  pass(seconds: number): void {
    for (const house of this.houses) house.pass(seconds);
  }

  /** What a bridge does beside answering. @param steps at most; default: all of them */
  async order(steps = Number.POSITIVE_INFINITY): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      const next = (await readTaken(this.database.reader)).find(
        ({ source, seq, journalSeq, isRemoved }) =>
          (this.members.includes(source) || (isRemoved && seq !== undefined)) && (seq ?? 0) < journalSeq,
      );
      if (!next) return;
      await takeUpRecords(this.database, next, () => this.now);
    }
  }

  async ask(query: string | Readonly<Record<string, string>>): Promise<string> {
    const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
    const answer = await this.app.inject(`/oai?${text}`);
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
    return answer.body;
  }

  /** All pages of a list. */
  async walk(
    query: Readonly<Record<string, string>>,
    between: () => Promise<void> = async () => {},
  ): Promise<string[]> {
    const pages = [await this.ask(query)];
    for (;;) {
      const token = tokenIn(pages.at(-1) ?? '');
      if (!token) return pages;
      await between();
      pages.push(await this.ask({ verb: query.verb ?? '', resumptionToken: token }));
    }
  }

  async close(): Promise<void> {
    for (const { sourceId } of await readTaken(this.database.reader))
      while (await leaveJoint(this.database, sourceId));
    await endJoint(this.database);
    for (const house of this.#servers) await house.close();
  }
}
