// Real JPEGs for tests, 24 by 16 pixels, written by a common encoder, and functions that change their segments.

const picture = (base64: string): Buffer => Buffer.from(base64, "base64");

/** Sequential, one component, a restart marker after every block. */
export const sequential = picture(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////wAALCAAQABgBAREA/8QAFwAAAwEAAAAAAAAAAAAAAAAAAAMEAv/EABoQAAMAAwEAAAAAAAAAAAAAAAABAgMRMcH/3QAEAAH/2gAIAQEAAD8AnhH/0CEf/9GiEf/STCP/09Qj/9R2WnGC6Xda8P/Z",
);

/** Progressive: several scans. */
export const progressive = picture(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////wgALCAAQABgBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAwL/2gAIAQEAAAABNEBK/8QAFhAAAwAAAAAAAAAAAAAAAAAAASAx/9oACAEBAAEFAlM//8QAFBABAAAAAAAAAAAAAAAAAAAAIP/aAAgBAQAGPwJf/8QAFhABAQEAAAAAAAAAAAAAAAAAAQAR/9oACAEBAAE/ISIiJY2//9oACAEBAAAAEAP/xAAYEAEBAQEBAAAAAAAAAAAAAAABABExwf/aAAgBAQABPxAxjGMx3czy/9k=",
);

/** The offset of the first segment with a marker; the marker is included. */
export const segmentAt = (jpeg: Buffer, marker: number): number => jpeg.indexOf(Buffer.of(0xff, marker));

/** A copy with the bytes from `at` overwritten. */
export function patched(jpeg: Buffer, at: number, ...bytes: number[]): Buffer {
  const copy = Buffer.from(jpeg);
  copy.set(bytes, at);
  return copy;
}

/** A copy whose frame header has other dimensions, in pixels. */
export function resized(jpeg: Buffer, width: number, height: number): Buffer {
  const frame = Math.max(segmentAt(jpeg, 0xc0), segmentAt(jpeg, 0xc2));
  return patched(jpeg, frame + 5, height >> 8, height & 255, width >> 8, width & 255);
}

/** A copy without the first segment with a marker. */
export function without(jpeg: Buffer, marker: number): Buffer {
  const at = segmentAt(jpeg, marker);
  return Buffer.concat([jpeg.subarray(0, at), jpeg.subarray(at + 2 + jpeg.readUInt16BE(at + 2))]);
}

/** A copy with bytes inserted before the first segment with a marker. */
export function inserted(jpeg: Buffer, marker: number, bytes: Buffer): Buffer {
  const at = segmentAt(jpeg, marker);
  return Buffer.concat([jpeg.subarray(0, at), bytes, jpeg.subarray(at)]);
}
