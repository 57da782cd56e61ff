// Loaded before the program: its clock goes on from the moment that PICTURE_AT says.
const by = Date.parse(process.env.PICTURE_AT) - Date.now();
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + by);
    else super(...given);
  }
  static now() {
    return RealDate.now() + by;
  }
};
