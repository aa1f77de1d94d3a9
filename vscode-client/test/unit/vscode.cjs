// Unit tests run without an editor: what they test uses nothing of it.
module.exports = {};
