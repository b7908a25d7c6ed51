package watch

import "golang.org/x/sys/unix"

// The kinds of file system where another machine, or a program in user space, can change
// files without the knowledge of this kernel: it accepts watches, but they stay silent.
var silentKinds = map[uint32]string{
	0x6969:     "NFS",
	0x517B:     "SMB",
	0xFF534D42: "CIFS",
	0xFE534D42: "SMB2",
	0x01021997: "9p",
	0x65735546: "FUSE",
	0x5346414F: "AFS",
	0x00C36400: "Ceph",
	0x73757245: "Coda",
	0x786F4256: "VirtualBox shared folder",
	0xBACBACBC: "VMware shared folder",
	0x0BD00BD0: "Lustre",
	0x01161970: "GFS2",
	0x7461636F: "OCFS2",
	0x47504653: "GPFS",
	0x013111A8: "IBRIX",
	0x19830326: "BeeGFS",
}

// silentFileSystem returns the name of root's file system if its watches are unreliable, or
// "".
func silentFileSystem(root string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(root, &st); err != nil {
		return ""
	}
	return silentKinds[uint32(st.Type)]
}
