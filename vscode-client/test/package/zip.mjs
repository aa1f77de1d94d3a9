// Reading a zip archive, as a .vsix file is one.
import fs from 'node:fs';
import zlib from 'node:zlib';

const endMark = 0x06054b50;
const endSize = 22;

/** The entries of an archive: name, Unix mode, and what is in it. */
export function entriesOf(file) {
  const zip = fs.readFileSync(file);
  let end = zip.length - endSize;
  while (zip.readUInt32LE(end) !== endMark) {
    end--;
  }
  const entries = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const [method, size, mode, start] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 40), zip.readUInt32LE(at + 42)];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const begin = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
    const packed = zip.subarray(begin, begin + size);
    entries.push({ name, mode, read: () => (method === 0 ? packed : zlib.inflateRawSync(packed)) });
    at += 46 + nameLength + extra + comment;
  }
  return entries;
}
