// Loaded before anything else into a process: its clock is so many milliseconds ahead of the others.
const ahead = Number(process.env.CLOCK_AHEAD_MS);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + ahead);
    else super(...given);
  }

  static now() {
    return RealDate.now() + ahead;
  }
}

globalThis.Date = ShiftedDate;
