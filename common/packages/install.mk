# SPDX-License-Identifier: MIT
# make install and uninstall, and packages of what they install.

# What each program is called where it is installed: PROGRAM_PREFIX and its name, or gridutils-NAME if that is another
# program's, as compare (ImageMagick) and plot (plotutils) are, or if RENAMED lists it. The lines "NAME INSTALLED".
names = DESTDIR='$(DESTDIR)' PROGRAM_PREFIX='$(PROGRAM_PREFIX)' RENAMED='$(RENAMED)' \
    bash common/packages/names.bash '$(DESTDIR)$(PREFIX)/bin' $(PROGRAMS) $(HOST_TOOLS)
SHARE = $(DESTDIR)$(PREFIX)/share
# Where each shell looks for the completions of the program $(1).
COMPLETION_bash = $(SHARE)/bash-completion/completions/$(1)
COMPLETION_zsh = $(SHARE)/zsh/site-functions/_$(1)
COMPLETION_fish = $(SHARE)/fish/vendor_completions.d/$(1).fish
SHELLS := bash zsh fish
completions = $(foreach kind,$(SHELLS),$(call COMPLETION_$(kind),$(1)))

put = bash common/packages/put.bash
INSTALLED_CUDA = $(DESTDIR)$(PREFIX)/lib/gridutils/cuda
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/gridutils $(SHARE)/man/man1 $(SHARE)/man/man7 \
	    $(dir $(call completions,x))
	@$(names) >build/names
	while read -r name installed; do \
	    $(put) bin/$$name $(DESTDIR)$(PREFIX)/bin/$$installed $(DEBUG) || exit; \
	    bash common/packages/page.bash man/$$name.1 <build/names >$(SHARE)/man/man1/$$installed.1 || exit; \
	    $(foreach kind,$(SHELLS), \
	        sed "s/@NAME@/$$installed/g" common/cli/completion.$(kind) >$(call COMPLETION_$(kind),$$installed) || exit;) \
	done <build/names
	for page in $(notdir $(wildcard man/*.7)); do \
	    bash common/packages/page.bash man/$$page <build/names >$(SHARE)/man/man7/$$page || exit; done
	for library in $(LIB)/lib*.*; do [ -L $$library ] || \
	    $(put) $$library $(DESTDIR)$(PREFIX)/lib/gridutils/$${library##*/} $(DEBUG) || exit; done
	cp -R common/simt/include $(DESTDIR)$(PREFIX)/lib/gridutils
	rm -rf $(INSTALLED_CUDA)
	cp -R -P $(CUDA_FOLDER) $(INSTALLED_CUDA)
	$(put) $(CUDA_FOLDER)/lib64/libcudart_simt.so.13 $(INSTALLED_CUDA)/lib64/libcudart_simt.so.13 $(DEBUG)
	ln -sfn ../../../../bin/$$(sed -n 's/^simcc //p' build/names) $(INSTALLED_CUDA)/bin/nvcc

# (A program of a stranger was there before, too, so its name is not among these.)
uninstall:
	@$(names) >build/names
	while read -r name installed; do for one in $$installed gridutils-$$name; do rm -f $(DESTDIR)$(PREFIX)/bin/$$one \
	    $(DESTDIR)$(PREFIX)/bin/.debug/$$one.debug $(SHARE)/man/man1/$$one.1 $(call completions,$$one); \
	    done; done <build/names
	rm -rf $(patsubst man/%,$(SHARE)/man/man7/%,$(wildcard man/*.7)) $(DESTDIR)$(PREFIX)/lib/gridutils
	@[ ! -d $(DESTDIR)$(PREFIX)/bin/.debug ] || rmdir --ignore-fail-on-non-empty $(DESTDIR)$(PREFIX)/bin/.debug

# Runs the examples of the installed pages with the installed programs: in /usr, a venv or below DESTDIR.
installcheck:
	@bash common/packages/examples.bash --installed $(DESTDIR)$(PREFIX)

PACKAGES := build/packages
# Packages are what make install makes, apart from the two names.
IMAGE := $(PACKAGES)/image
GPU_CODE = $(if $(NVCC),$(ARCHS))
image: all
	@rm -rf $(IMAGE)
	@$(MAKE) --no-print-directory -o all install DESTDIR=$(CURDIR)/$(IMAGE) PREFIX=/usr PROGRAM_PREFIX= RENAMED='compare plot' >/dev/null
dist:
	@bash common/packages/dist.bash '$(VERSION)' $(PACKAGES)
deb: image
	@bash common/packages/deb.bash '$(VERSION)' $(PACKAGES) '$(GPU_CODE)'
wheel: image
	@python3 common/packages/wheel.py '$(VERSION)' $(PACKAGES) '$(GPU_CODE)'
.PHONY: install uninstall installcheck image dist deb wheel
